import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { conflict, notFound } from '../base/errors.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { createAccount, newPassword, nextEpoch } from './account.js';
import { recordAudit } from './audit.js';
import { clearBudgets } from './login-budget.js';
import { keepNamedKeys } from './named-keys.js';
import { revokeKeysOf } from './operator-keys.js';
import { hashPassword, verifyPassword } from './passwords.js';
import { removeSecondFactor } from './sessions/second-factor.js';

interface OperatorLogin {
  email: string;
  password?: string | undefined;
}

interface PasswordReset extends OperatorLogin {
  /** True to keep the operator's keys and named API keys when the password changes. */
  keepKeys?: boolean;
}

/** The result of `ensureFirstOperator`. The process prints a generated password once, and never logs it. */
export type FirstOperatorResult =
  /** `passwordRefused`: the configured password does not fit the operator with that e-mail address. */
  { created: false; passwordRefused: boolean } | { created: true; email: string; generatedPassword?: string };

/** Creates the first operator if none exists. Processes that start at the same time create only one. */
export async function ensureFirstOperator(db: Db, { email, password }: OperatorLogin): Promise<FirstOperatorResult> {
  if (await hasOperator(db)) return { created: false, passwordRefused: await isRefused(db, email, password) };
  const secret = password ?? generatedPassword();
  const passwordHash = await hashPassword(secret);
  return transaction(db, async (trx) => {
    await lockOperators(trx);
    if (await hasOperator(trx)) return { created: false, passwordRefused: false };
    await createAccount(trx, { ...firstOperator, email, passwordHash });
    return { created: true, email, ...(password === undefined ? { generatedPassword: secret } : {}) };
  });
}

// The phone counts as confirmed, so that the operator can use every interface.
const firstOperator = { name: 'Operator', phone: '+55 00 0000-0000', phoneConfirmed: true, role: 'operator' } as const;

const generatedPassword = () => randomBytes(18).toString('base64url');

async function isRefused(db: Db, email: string, password: string | undefined): Promise<boolean> {
  if (password === undefined) return false;
  const row = await operatorOf(db, email).executeTakeFirst();
  return row === undefined || !(await verifyPassword(row.password_hash, password));
}

const operatorOf = (db: Db, email: string) =>
  db
    .selectFrom('accounts')
    .select(['id', 'email', 'password_hash'])
    .where(sql`lower(email)`, '=', sql`lower(${email}::text)`)
    .where('role', '=', 'operator')
    .where('deleted_at', 'is', null);

/**
 * Sets an operator's password (a generated one by default), resets the login budget, and ends its sign-ins. It demands
 * no proof, as it is for a person with access to the machine. Throws `NOT_FOUND`, `VALIDATION_ERROR`.
 */
export async function resetOperator(
  db: Db,
  { email, password, keepKeys }: PasswordReset,
): Promise<{ email: string; generatedPassword?: string }> {
  const secret = password ?? generatedPassword();
  const passwordHash = await hashPassword(secret);
  return transaction(db, async (trx) => {
    const account = await lockOperator(trx, email);
    const changes = { ...newPassword(passwordHash), ...nextEpoch, ...nextVersion };
    await (keepKeys ? keepNamedKeys(trx) : revokeKeysOf(trx, account.id));
    await trx.updateTable('accounts').set(changes).where('id', '=', account.id).execute();
    await clearBudgets(trx, account);
    const targets = { id: account.id };
    await recordAudit(trx, { operation: 'operators reset-password', targets, fields: ['password'] });
    return { email: account.email, ...(password === undefined && { generatedPassword: secret }) };
  });
}

const lockOperator = (trx: Db, email: string) =>
  operatorOf(trx, email)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('operator'));

/** Removes an operator's second factor, and ends its sessions and tokens, like `resetOperator`. Throws `NOT_FOUND`. */
export function resetSecondFactor(db: Db, email: string): Promise<{ email: string }> {
  return transaction(db, async (trx) => {
    const account = await lockOperator(trx, email);
    await removeSecondFactor(trx, account.id);
    await recordAudit(trx, { operation: 'operators reset-second-factor', targets: { id: account.id }, fields: [] });
    return { email: account.email };
  });
}

/** Locks before any account lock if the number of operators may change. So two operators cannot delete each other. */
export async function lockOperators(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('operators', 0))`.execute(trx);
}

/** Throws `CONFLICT` if the account is the last operator. Needs `lockOperators` before. */
export async function demandOtherOperator(trx: Db, besides: string): Promise<void> {
  if (!(await hasOperator(trx, besides)))
    throw conflict('last_operator', 'The last operator stays: there must be another one first.');
}

async function hasOperator(db: Db, besides: string = NIL): Promise<boolean> {
  const { rows } = await sql`
    select from accounts where role = 'operator' and deleted_at is null and id <> ${besides} limit 1`.execute(db);
  return rows.length > 0;
}
