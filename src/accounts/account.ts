import { type ExpressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool, sql } from 'kysely';
import type { Actor, Role } from '../base/actor.js';
import { conflict } from '../base/errors.js';
import { ownedBy } from '../db/owned-by.js';
import type { Database } from '../db/tables.js';
import type { Accounts } from '../db/tables-accounts.js';

/** An account: who signs in, owns products and orders, and receives notifications. REST calls it a user. */
export interface Account {
  id: string;
  email: string;
  name: string;
  phone: string;
  /** Without it no API key is given out. */
  phoneConfirmed: boolean;
  role: Role;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns that may leave the domain: never the password's hash. */
export const accountColumns = [
  'id',
  'email',
  'name',
  'phone',
  'phone_confirmed',
  'role',
  'version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Accounts)[];

type AccountRow = Pick<Selectable<Accounts>, (typeof accountColumns)[number]>;

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  email: row.email,
  name: row.name,
  phone: row.phone,
  phoneConfirmed: row.phone_confirmed,
  role: row.role,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

type Condition = ExpressionWrapper<Database, 'accounts', SqlBool>;

/** The account of that id, if it is there and the actor may see it: an operator sees all, a customer itself. */
export const visible =
  (actor: Actor, id: string) =>
  (eb: ExpressionBuilder<Database, 'accounts'>): Condition =>
    eb.and([eb('id', '=', id), eb('deleted_at', 'is', null), ownedBy(actor, 'id')]);

/** What ends every token of an account: tokens carry the epoch that they were issued in. */
export const nextEpoch = {
  epoch: sql<number>`epoch + 1`,
  // The time of the change, not of the transaction's start, so that pollers miss nothing that commits late.
  epoch_changed_at: sql<Date>`clock_timestamp()`,
};

/** A changed password rotates the API key too: whoever knew the old one could have obtained it. */
export const newPassword = (passwordHash: string) => ({
  password_hash: passwordHash,
  api_key_version: sql<number>`api_key_version + 1`,
});

/** What every change of a record brings along. */
export const nextVersion = { version: sql<number>`version + 1`, updated_at: sql<Date>`now()` };

export const emailTaken = () =>
  conflict('Another user has this e-mail address.', [{ field: 'email', message: 'is taken' }]);
