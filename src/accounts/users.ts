import { sql } from 'kysely';
import type { Actor, Role } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { type Account, accountColumns, emailTaken, toAccount, visible } from './account.js';
import { addPaymentMethod } from './payment-methods.js';

export type { Account } from './account.js';
export { deleteAccount } from './delete-account.js';
export { hashPassword } from './passwords.js';
export { type AccountChange, prepareUpdate, updateAccount } from './update-account.js';

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

/** Creates an account with its first payment method, an invoice. Throws `CONFLICT` when the e-mail address is taken, in any case. */
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
  { search }: { search?: string | undefined },
  page: Page,
): Promise<Listed<Account>> {
  let found = db.selectFrom('accounts').where('deleted_at', 'is', null);
  if (search !== undefined) found = found.where(holds(search));
  const [rows, { total }] = await Promise.all([
    found
      .select(accountColumns)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.pageSize)
      .offset(offsetOf(page))
      .execute(),
    found.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows: rows.map(toAccount), total: Number(total) };
}

// strpos knows no wildcards, so there is nothing to escape.
const holds = (part: string) =>
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

/** Makes the account's API key worthless; `identity.apiKeyOf` then gives the new one, whose version this is. Throws `NOT_FOUND`. */
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
