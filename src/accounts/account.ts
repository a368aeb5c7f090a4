import { type ExpressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool, sql } from 'kysely';
import type { Actor, Role } from '../base/actor.js';
import { conflict, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { ownedBy } from '../db/owned-by.js';
import { readPage } from '../db/read-page.js';
import type { Accounts } from '../db/tables/accounts.js';
import type { Database } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { addPaymentMethod } from './payment-methods.js';

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

/** An account as the contracts of REST and of the operator's interface show a user. */
export const toUser = (account: Account) => ({
  id: account.id,
  email: account.email,
  name: account.name,
  phone: account.phone,
  phone_confirmed: account.phoneConfirmed,
  role: account.role,
  created_at: account.createdAt.toISOString(),
  updated_at: account.updatedAt.toISOString(),
});

type Condition = ExpressionWrapper<Database, 'accounts', SqlBool>;

/** The account of that id, if it is there and the actor may see it: an operator sees all, a customer itself. */
export const visible =
  (actor: Actor, id: string) =>
  (eb: ExpressionBuilder<Database, 'accounts'>): Condition =>
    eb.and([eb('id', '=', id), eb('deleted_at', 'is', null), ownedBy(actor, 'id')]);

/** Ends every token of an account: tokens carry the epoch that they were issued in. */
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

export const emailTaken = () =>
  conflict('Another user has this e-mail address.', [{ field: 'email', message: 'is taken' }]);

export interface NewAccount {
  email: string;
  name: string;
  phone: string;
  /** A customer when left out. */
  role?: Role | undefined;
  phoneConfirmed?: boolean | undefined;
  /** From `hashPassword`, which takes its time and belongs outside the transaction. */
  passwordHash: string;
}

/**
 * Creates an account with its first payment method, an invoice. Throws `CONFLICT` when the e-mail address is taken, in
 * any case.
 */
export function createAccount(db: Db, input: NewAccount): Promise<Account> {
  return transaction(db, async (trx) => {
    const row = await trx
      .insertInto('accounts')
      .values({
        id: newId(),
        email: input.email,
        name: input.name,
        phone: input.phone,
        phone_confirmed: input.phoneConfirmed ?? false,
        role: input.role ?? 'customer',
        password_hash: input.passwordHash,
        // There is no older token that processes would have to learn about.
        epoch_changed_at: new Date(0),
      })
      .onConflict((other) => other.expression(sql`lower(email)`).where('deleted_at', 'is', null).doNothing())
      .returning(accountColumns)
      .executeTakeFirst();
    if (!row) throw emailTaken();
    await addPaymentMethod(trx, row.id, { kind: 'invoice', label: 'Invoice' });
    return toAccount(row);
  });
}

/** The account, if it is there and the actor may see it. */
export async function getAccount(db: Db, actor: Actor, id: string): Promise<Account | undefined> {
  const query = db.selectFrom('accounts').select(accountColumns).where(visible(actor, id));
  const row = await query.executeTakeFirst();
  return row && toAccount(row);
}

/** Accounts, newest first. `search` is a part of the name or of the e-mail address, in any case. */
export async function listAccounts(
  db: Db,
  { search, role }: { search?: string | undefined; role?: Role | undefined },
  page: Page,
): Promise<Listed<Account>> {
  let matching = db.selectFrom('accounts').where('deleted_at', 'is', null);
  if (search !== undefined) matching = matching.where(contains(search));
  if (role !== undefined) matching = matching.where('role', '=', role);
  const newest = matching.select(accountColumns).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const { rows, total } = await readPage(db, newest, page);
  return { rows: rows.map(toAccount), total };
}

// strpos knows no wildcards, so there is nothing to escape.
const contains = (part: string) =>
  sql<boolean>`(strpos(lower(name), lower(${part}::text)) > 0 or strpos(lower(email), lower(${part}::text)) > 0)`;

/** Notes that the operator has confirmed the phone; confirming it again changes nothing. Throws `NOT_FOUND`. */
export async function confirmPhone(db: Db, accountId: string): Promise<Account> {
  const row = await db
    .updateTable('accounts')
    .set({
      phone_confirmed: true,
      version: sql<number>`version + (not phone_confirmed)::int`,
      updated_at: sql<Date>`case when phone_confirmed then updated_at else now() end`,
    })
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning(accountColumns)
    .executeTakeFirst();
  if (!row) throw notFound('user');
  return toAccount(row);
}

/**
 * Makes the account's API key worthless; `identity.apiKeyOf` then gives the new one, whose version this is. Throws
 * `NOT_FOUND`.
 */
export async function rotateApiKey(db: Db, accountId: string): Promise<number> {
  const row = await db
    .updateTable('accounts')
    .set({ api_key_version: sql<number>`api_key_version + 1` })
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning('api_key_version')
    .executeTakeFirst();
  if (!row) throw notFound('user');
  return row.api_key_version;
}
