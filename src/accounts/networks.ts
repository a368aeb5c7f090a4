import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { deleteInChunks } from '../db/delete-in-chunks.js';

const SUBNET_BITS = 64;

/** An IPv4 address, or the /64 of an IPv6 address, which one customer usually has alone. Undefined for other texts. */
export function networkOf(ip: string): string | undefined {
  const [bare = ''] = ip.split('%');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${SUBNET_BITS}`).toString()}/${SUBNET_BITS}`;
}

// Failed logins from networks from which an account signed in of late have a budget of their own, so that strangers
// cannot lock it out. Only keyed hashes are stored: the addresses are personal data.
const MOST = 50;
const expiry = sql<Date>`now() - interval '30 days'`;

/** Hashes under which the network of an IP address may be stored, the one to write first; none for other texts. */
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

/** Notes a sign-in, once an hour for each network; the account's oldest networks beyond fifty are forgotten. */
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
