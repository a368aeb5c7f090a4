import { type ExpressionBuilder, type ExpressionWrapper, type Selection, type SqlBool, sql } from 'kysely';
import type { Actor, Role } from '../base/actor.js';
import { conflict, invalidField, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import { type FiscalRule, readTaxId, WRONG_TAX_ID } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import { row } from '../db/row.js';
import type { Database } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { addPaymentMethod } from './payment-methods.js';

/** Columns that may leave the domain. The password's hash is not one of them. API keys also need `phoneConfirmed`. */
export const accountColumns = [
  'id',
  'email',
  'name',
  'phone',
  'phone_confirmed as phoneConfirmed',
  'tax_id as taxId',
  'support_contact as supportContact',
  'role',
  'version',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

export type Account = Selection<Database, 'accounts', (typeof accountColumns)[number]>;

/** The user of an account in the form of the contracts (REST and operator's interface). */
export const toUser = (account: Account) => ({
  id: account.id,
  email: account.email,
  name: account.name,
  phone: account.phone,
  phone_confirmed: account.phoneConfirmed,
  tax_id: account.taxId ?? undefined,
  support_contact: account.supportContact ?? undefined,
  role: account.role,
  created_at: account.createdAt.toISOString(),
  updated_at: account.updatedAt.toISOString(),
});

type Condition = (eb: ExpressionBuilder<Database, 'accounts'>) => ExpressionWrapper<Database, 'accounts', SqlBool>;

export const present =
  (id: string): Condition =>
  (eb) =>
    eb.and([eb('id', '=', id), eb('deleted_at', 'is', null)]);

/**
 * Locks an account until the transaction ends. Its erasure and other changes that lock it wait. Throws `NOT_FOUND`, or
 * the error that `missing` makes.
 */
export function lockAccount(trx: Db, id: string, missing = () => notFound('user')): Promise<{ role: Role }> {
  const account = trx.selectFrom('accounts').select('role').where(present(id)).forNoKeyUpdate();
  return account.executeTakeFirstOrThrow(missing);
}

/** Matches the account with this id if the actor may see it. An operator sees all accounts, a customer only its own. */
export const visible =
  (actor: Actor, id: string): Condition =>
  (eb) =>
    eb.and([present(id)(eb), ownedBy(actor, 'id')]);

/** Ends all tokens of an account: a token is valid only in the epoch in which it was issued. */
export const nextEpoch = {
  epoch: sql<number>`epoch + 1`,
  // The time of the change, not the start of the transaction. So pollers do not miss a change that commits late.
  epoch_changed_at: sql<Date>`clock_timestamp()`,
};

/** Columns of a changed password. The API key is rotated, too: a person who knew the old password may know the key. */
export const newPassword = (passwordHash: string) => ({
  password_hash: passwordHash,
  api_key_version: sql<number>`api_key_version + 1`,
});

export const emailTaken = () =>
  conflict('email_taken', 'Another user has this e-mail address.', {
    details: [{ field: 'email', code: 'taken', message: 'is taken' }],
  });

/** Turns a database error of a change into the error for the client. */
export const emailConflict = (error: unknown): unknown =>
  ['accounts_email_key', 'sign_in_emails_pkey'].includes(uniqueViolation(error) ?? '') ? emailTaken() : error;

/** The tax id in its stored form. Null for an empty text. Throws `VALIDATION_ERROR` for a wrong check digit. */
export function accountTaxId(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === '') return null;
  const taxId = readTaxId(text);
  if (!taxId) throw invalidField('taxId', 'check_digits', WRONG_TAX_ID);
  return taxId.value;
}

export interface NewAccount {
  email: string;
  name: string;
  phone: string;
  role?: Role | undefined;
  phoneConfirmed?: boolean | undefined;
  /** Comes from `accountTaxId`. */
  taxId?: string | null | undefined;
  supportContact?: string | undefined;
  /** Comes from `hashPassword`, which is slow and must run outside the transaction. */
  passwordHash: string;
}

/** Creates an account with its first payment method, an invoice. Throws `CONFLICT` when the e-mail address is taken. */
export function createAccount(db: Db, input: NewAccount): Promise<Account> {
  const { role = 'customer', phoneConfirmed = false, taxId = null, supportContact, passwordHash, ...person } = input;
  const optional = { phone_confirmed: phoneConfirmed, tax_id: taxId, support_contact: supportContact ?? null };
  const unset = { fiscal_rule: null, previous_key_version: null };
  const columns = { ...person, ...optional, ...unset, role, password_hash: passwordHash };
  return transaction(db, async (trx) => {
    const account = await trx
      .insertInto('accounts')
      // A new account has no older tokens, so processes need not learn of its epoch.
      .values(row<'accounts'>({ id: newId(), ...columns, epoch_changed_at: new Date(0) }))
      .onConflict((other) => other.expression(sql`lower(email)`).where('deleted_at', 'is', null).doNothing())
      .returning(accountColumns)
      .executeTakeFirstOrThrow(emailTaken)
      .catch((error: unknown) => {
        throw emailConflict(error);
      });
    await addPaymentMethod(trx, account.id, { kind: 'invoice', label: 'Invoice' });
    return account;
  });
}

export const getAccount = (db: Db, actor: Actor, id: string): Promise<Account | undefined> =>
  db.selectFrom('accounts').select(accountColumns).where(visible(actor, id)).executeTakeFirst();

/** Lists accounts, newest first. `search` is a part of the name or of the e-mail address; case is ignored. */
export function listAccounts(
  db: Db,
  { search, role }: { search?: string | undefined; role?: Role | undefined },
  page: Page,
): Promise<Listed<Account>> {
  let matching = db.selectFrom('accounts').where('deleted_at', 'is', null);
  if (search !== undefined) matching = matching.where(contains(search));
  if (role !== undefined) matching = matching.where('role', '=', role);
  return readPage(db, matching.select(accountColumns).orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

// strpos has no wildcards, so the text needs no escaping.
const contains = (part: string) =>
  sql<boolean>`(strpos(lower(name), lower(${part}::text)) > 0 or strpos(lower(email), lower(${part}::text)) > 0)`;

/** Notes that the operator confirmed the phone. A second call changes nothing. Throws `NOT_FOUND`. */
export function confirmPhone(db: Db, accountId: string): Promise<Account> {
  return db
    .updateTable('accounts')
    .set({
      phone_confirmed: true,
      version: sql<number>`version + (not phone_confirmed)::int`,
      updated_at: sql<Date>`case when phone_confirmed then updated_at else now() end`,
    })
    .where(present(accountId))
    .returning(accountColumns)
    .executeTakeFirstOrThrow(() => notFound('user'));
}

/** The account's own rule for fiscal documents. Null if the service's setting applies. Throws `NOT_FOUND`. */
export async function fiscalRuleOf(db: Db, accountId: string): Promise<FiscalRule | null> {
  const query = db.selectFrom('accounts').select('fiscal_rule').where(present(accountId));
  return (await query.executeTakeFirstOrThrow(() => notFound('user'))).fiscal_rule;
}

/** Sets the account's rule for fiscal documents and returns it. Throws `NOT_FOUND`. */
export async function setFiscalRule(db: Db, accountId: string, rule: FiscalRule | null): Promise<FiscalRule | null> {
  const change = db.updateTable('accounts').set({ fiscal_rule: rule }).where(present(accountId));
  return (await change.returning('fiscal_rule').executeTakeFirstOrThrow(() => notFound('user'))).fiscal_rule;
}

/**
 * Replaces the account's derived API key. The old key ends at once, or after `overlapSeconds`. Keys before the old one
 * end at once in any case. Returns the version of the new key. Throws `NOT_FOUND`.
 */
export async function rotateApiKey(db: Db, accountId: string, overlapSeconds = 0): Promise<number> {
  const account = await db
    .updateTable('accounts')
    .set({
      api_key_version: sql<number>`api_key_version + 1`,
      previous_key_version: sql<number>`api_key_version`,
      previous_key_until: overlapSeconds > 0 ? sql<Date>`now() + make_interval(secs => ${overlapSeconds})` : null,
    })
    .where(present(accountId))
    .returning('api_key_version')
    .executeTakeFirstOrThrow(() => notFound('user'));
  return account.api_key_version;
}
