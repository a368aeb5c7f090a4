import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { deleteInChunks } from '../db/delete-in-chunks.js';

const SUBNET_BITS = 64;

/**
 * The network of an IP address: an IPv4 address itself, or the /64 of an IPv6 address, which usually has one customer.
 * Returns undefined for other texts.
 */
export function networkOf(ip: string): string | undefined {
  const [bare = ''] = ip.split('%');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${SUBNET_BITS}`).toString()}/${SUBNET_BITS}`;
}

// Remembers the networks from which an account signed in. Failed logins from them have a separate budget, so strangers
// cannot lock the account out. Addresses are personal data, so only keyed hashes are stored.
const MOST = 50;
const expiry = sql<Date>`now() - interval '30 days'`;

/** Hashes of the IP address's network, one per key of the ring. New rows use the first. Empty for other texts. */
export function networkHashes(ring: KeyRing, ip: string): Buffer[] {
  const network = networkOf(ip);
  if (network === undefined) return [];
  return ring.map(({ secret }) => createHmac('sha256', secret).update(`network:${network}`).digest());
}

export const signedInFrom = (networks: readonly Buffer[], accountId: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`exists (
    select 1 from sign_in_networks
    where account_id = ${accountId} and network = any(${networks}::bytea[]) and signed_in_at > ${expiry}
  )`;

/** Notes a sign-in, at most once an hour per network. Keeps the fifty latest networks of the account. */
export async function noteNetwork(db: Db, accountId: string, network: Buffer): Promise<void> {
  await sql`
    with noted as (
      insert into sign_in_networks as stored (account_id, network) values (${accountId}, ${network})
      on conflict (account_id, network) do update set signed_in_at = now()
      where stored.signed_in_at < now() - interval '1 hour'
    )
    delete from sign_in_networks where account_id = ${accountId} and network in (
      select network from sign_in_networks where account_id = ${accountId} and network <> ${network}
      order by signed_in_at desc offset ${MOST - 1}
    )`.execute(db);
}

export const sweepSignInNetworks = (db: Db): Promise<number> =>
  deleteInChunks(db, 'sign_in_networks', 'signed_in_at', sql`signed_in_at <= ${expiry}`);
