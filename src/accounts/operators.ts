import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { conflict, notFound } from '../base/errors.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { createAccount, newPassword, nextEpoch } from './account.js';
import { recordAudit } from './audit.js';
import { clearBudgets } from './login-budget.js';
import { revokeKeysOf } from './operator-keys.js';
import { hashPassword, verifyPassword } from './passwords.js';
import { removeSecondFactor } from './sessions/second-factor.js';

interface OperatorLogin {
  email: string;
  /** Generated when left out. */
  password?: string | undefined;
}

interface PasswordReset extends OperatorLogin {
  /** The operator keys that it made outlive its password. */
  keepOperatorKeys?: boolean;
}

/** A generated password is in nobody's hands yet: the process prints it, once, and never logs it. */
export type FirstOperatorResult =
  /** `passwordRefused`: a password was configured, and it is not the one of an operator with that e-mail address. */
  { created: false; passwordRefused: boolean } | { created: true; email: string; generatedPassword?: string };

/**
 * Creates the first operator unless there is an operator; starts at the same time create one. Its phone counts as
 * confirmed, so that it can use every interface.
 */
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
 * Gives an operator another password, a generated one when it is left out; ends its tokens, its API key and the
 * operator keys that it made, and gives its login budget back. For whoever has the machine: it demands no proof. Throws
 * `NOT_FOUND`, `VALIDATION_ERROR` on `password`.
 */
export async function resetOperator(
  db: Db,
  { email, password, keepOperatorKeys }: PasswordReset,
): Promise<{ email: string; generatedPassword?: string }> {
  const secret = password ?? generatedPassword();
  const passwordHash = await hashPassword(secret);
  return transaction(db, async (trx) => {
    const account = await operatorOf(trx, email).forUpdate().executeTakeFirst();
    if (!account) throw notFound('operator');
    await trx
      .updateTable('accounts')
      .set({ ...newPassword(passwordHash), ...nextEpoch, ...nextVersion })
      .where('id', '=', account.id)
      .execute();
    if (!keepOperatorKeys) await revokeKeysOf(trx, account.id);
    await clearBudgets(trx, account);
    await recordAudit(trx, {
      operation: 'operators reset-password',
      targets: { id: account.id },
      fields: ['password'],
    });
    return { email: account.email, ...(password === undefined && { generatedPassword: secret }) };
  });
}

/**
 * Removes the second factor of an operator who has lost it, and ends its sessions and tokens. For whoever has the
 * machine, like `resetOperator`. Throws `NOT_FOUND`.
 */
export function resetSecondFactor(db: Db, email: string): Promise<{ email: string }> {
  return transaction(db, async (trx) => {
    const account = await operatorOf(trx, email).forUpdate().executeTakeFirst();
    if (!account) throw notFound('operator');
    await removeSecondFactor(trx, account.id);
    await recordAudit(trx, { operation: 'operators reset-second-factor', targets: { id: account.id }, fields: [] });
    return { email: account.email };
  });
}

/**
 * Every transaction that may change how many operators there are takes this lock, before it locks any account: two
 * operators who delete each other cannot both succeed.
 */
export async function lockOperators(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('operators', 0))`.execute(trx);
}

/** Throws `CONFLICT` when the account is the last operator. Needs `lockOperators`. */
export async function demandOtherOperator(trx: Db, besides: string): Promise<void> {
  if (!(await hasOperator(trx, besides))) throw conflict('The last operator stays: there must be another one first.');
}

async function hasOperator(db: Db, besides?: string): Promise<boolean> {
  let query = db
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'operator')
    .where('deleted_at', 'is', null)
    .limit(1);
  if (besides !== undefined) query = query.where('id', '!=', besides);
  return (await query.executeTakeFirst()) !== undefined;
}
