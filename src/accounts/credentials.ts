import { sql } from 'kysely';
import type { Role } from '../base/actor.js';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { signedInFrom } from './sign-in-networks.js';

/** What proving who one is needs to know of an account. */
export interface Credentials {
  /** False when there is no such account; the rest then stands in for one, so that the caller does the same work. */
  exists: boolean;
  accountId: string;
  email: string;
  name: string;
  role: Role;
  phoneConfirmed: boolean;
  passwordHash: string;
  epoch: number;
  apiKeyVersion: number;
  /** Whether the account signed in from one of the networks of late. */
  networkKnown: boolean;
}

const nobody = newId();

/**
 * The account that has the e-mail address now, in any case. One row comes back whether there is one or not, with `dummyHash` as the
 * absent one's password, so that neither this read nor what follows tells by its time which addresses are known. `networks` are the
 * hashes of the caller's; without them nothing is looked up.
 */
export async function credentialsOf(
  db: Db,
  email: string,
  dummyHash: string,
  networks: readonly Buffer[] = [],
): Promise<Credentials> {
  const { rows } = await sql<Credentials>`
    select a.id is not null as "exists",
      coalesce(a.id, ${nobody}::uuid) as "accountId",
      coalesce(a.email, asked.email) as "email",
      coalesce(a.name, asked.email) as "name",
      coalesce(a.role, 'customer') as "role",
      coalesce(a.phone_confirmed, false) as "phoneConfirmed",
      coalesce(a.password_hash, ${dummyHash}::text) as "passwordHash",
      coalesce(a.epoch, 0) as "epoch",
      coalesce(a.api_key_version, 0) as "apiKeyVersion",
      ${networks.length === 0 ? sql`false` : signedInFrom(networks, sql`coalesce(a.id, ${nobody}::uuid)`)} as "networkKnown"
    from (values (${email}::text)) as asked (email)
    left join accounts a on lower(a.email) = lower(asked.email) and a.deleted_at is null`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a left join lost its left side');
  return row;
}
