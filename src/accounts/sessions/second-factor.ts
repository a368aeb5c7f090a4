import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Actor, FactorUse } from '../../base/actor.js';
import type { Clock } from '../../base/clock.js';
import { forbidden, invalidField, notFound, tooManyFailures } from '../../base/errors.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import { open } from '../../base/secrets/seal.js';
import type { Db } from '../../db/connect.js';
import { eraseRows } from '../../db/erase.js';
import { sealed } from '../../db/tables/sealed.js';
import { transaction } from '../../db/transaction.js';
import { nextEpoch, present } from '../account.js';
import { accountBudgets, spendAttempt, wrongPassword } from '../login-budget.js';
import { verifyPassword } from '../passwords.js';
import { hashOfSecret } from '../secrets.js';
import { endSessionsOf } from './session.js';

/**
 * The second factor of operators: codes of an authenticator app (TOTP, RFC 6238), and ten recovery codes, each good
 * once. The secret is sealed, of recovery codes only hashes are stored.
 */
export interface SecondFactorDeps {
  db: Db;
  keys: KeyRing;
  clock: Clock;
}

const ISSUER = 'Malote';
const STEP_SECONDS = 30;
/** Steps before and after the present one whose codes count, as clocks differ. */
const WINDOW = 1;
const CODE = /^\d{6}$/;

export const totpOf = (secret: Secret, email: string): TOTP =>
  new TOTP({ issuer: ISSUER, label: email, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, secret });

export const ownerOf = (accountId: string): string => sealed.secondFactors.ownerOf([accountId]);

/** Uses up a code of the present that was not accepted before, or a recovery code; false for any other. */
export async function spendCode(deps: SecondFactorDeps, accountId: string, code: string): Promise<boolean> {
  const plain = code.replace(/[\s-]/g, '').toUpperCase();
  return CODE.test(plain) ? spendStep(deps, accountId, plain) : spendRecoveryCode(deps.db, accountId, plain);
}

async function spendStep(deps: SecondFactorDeps, accountId: string, code: string): Promise<boolean> {
  const { db, keys } = deps;
  const factor = await factorOf(db, accountId);
  const step = factor?.isConfirmed ? stepOf(deps, secretIn(keys, accountId, factor.sealed), code) : undefined;
  if (step === undefined) return false;
  const spent = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst();
  return spent !== undefined;
}

async function spendRecoveryCode(db: Db, accountId: string, code: string): Promise<boolean> {
  const hash = hashOfRecoveryCode(code);
  const { rows } = await sql<{ account_id: string }>`
    update second_factors set recovery_hashes = array_remove(recovery_hashes, ${hash}::bytea)
    where account_id = ${accountId} and confirmed_at is not null and ${hash}::bytea = any(recovery_hashes)
    returning account_id`.execute(db);
  return rows.length > 0;
}

/** Removes the second factor of an account, and ends its sessions and tokens. Throws NOT_FOUND when it has none. */
export function removeSecondFactor(db: Db, accountId: string): Promise<void> {
  return transaction(db, async (trx) => {
    await trx.updateTable('accounts').set(nextEpoch).where('id', '=', accountId).execute();
    if (!(await forgetSecondFactor(trx, accountId))) throw notFound('second factor', 'second_factor_not_found');
  });
}

/** Erases the second factor of an account whose tokens the caller ends, and its sessions; false where it had none. */
export async function forgetSecondFactor(trx: Db, accountId: string): Promise<boolean> {
  const removed = await eraseRows(trx, 'second_factors', 'deletion', sql`account_id = ${accountId}`);
  await endSessionsOf(trx, accountId);
  return removed > 0;
}

export const hasSecondFactor = async (db: Db, accountId: string): Promise<boolean> =>
  (await factorOf(db, accountId))?.isConfirmed === true;

const factorOf = (db: Db, accountId: string) =>
  db
    .selectFrom('second_factors')
    .select(['secret_sealed as sealed', sql<boolean>`confirmed_at is not null`.as('isConfirmed')])
    .where('account_id', '=', accountId)
    .executeTakeFirst();

const secretIn = (keys: KeyRing, accountId: string, sealed: Buffer): Secret =>
  new Secret({ buffer: new Uint8Array(open(keys, sealed, ownerOf(accountId))).buffer });

/** The number of the time step that the code is of; undefined when it is of none near the present. */
export function stepOf({ clock }: Pick<SecondFactorDeps, 'clock'>, secret: Secret, code: string): number | undefined {
  const timestamp = clock().getTime();
  const away = CODE.test(code) ? totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW }) : null;
  return away === null ? undefined : Math.floor(timestamp / 1000 / STEP_SECONDS) + away;
}

export const hashOfRecoveryCode = (code: string): Buffer => hashOfSecret(code.replaceAll('-', ''));

interface FactorRules {
  db: Db;
  /** Operators without a second factor may only set one up. */
  isRequired: boolean;
}

const REASON = 'second_factor_required';

/**
 * Refuses operators whose token or key has no second factor: if the operator has one, everything except reading; if one
 * is required and the operator has none, everything except setting it up. Throws FORBIDDEN.
 */
export const factorDemand =
  ({ db, isRequired }: FactorRules) =>
  (actor: Actor, use: FactorUse): void | Promise<void> => {
    if (actor.role !== 'operator' || actor.withFactor || use === 'enrolment') return;
    if (use === 'change' || isRequired) return demandFactor(db, actor.accountId, use, isRequired);
  };

async function demandFactor(db: Db, accountId: string, use: FactorUse, isRequired: boolean): Promise<void> {
  const hasFactor = await hasSecondFactor(db, accountId);
  if (hasFactor && use === 'change') {
    throw forbidden(
      REASON,
      'Without your second factor you only read: sign in at POST /operator/v1/sign-in with a code.',
    );
  }
  if (!hasFactor && isRequired) {
    throw forbidden(REASON, 'Operators need a second factor here: set it up at POST /operator/v1/second-factor.');
  }
}

export interface OperatorProof {
  currentPassword?: string | undefined;
  code?: string | undefined;
}

/**
 * Demands the password of an operator who has signed in, or a code of its second factor, before what a stolen token
 * must not do. Throws FORBIDDEN without either, VALIDATION_ERROR on the wrong field, RATE_LIMITED.
 */
export async function demandProof(deps: SecondFactorDeps, accountId: string, { currentPassword, code }: OperatorProof) {
  if (code === undefined && currentPassword === undefined) throw reauthenticationRequired();
  const isRight =
    code === undefined
      ? () => isPassword(deps.db, accountId, currentPassword ?? '')
      : () => spendCode(deps, accountId, code);
  const attempt = await spendAttempt(deps.db, accountBudgets(accountId), isRight);
  if (!attempt.granted) throw tooManyFailures(attempt);
  if (attempt.succeeded) return;
  if (code === undefined) throw wrongPassword();
  throw invalidField('code', 'incorrect', 'is not valid, or was used before');
}

export const reauthenticationRequired = () =>
  forbidden('reauthentication_required', 'Send current_password, or a code of your second factor.');

async function isPassword(db: Db, accountId: string, password: string): Promise<boolean> {
  const query = db.selectFrom('accounts').select('password_hash').where(present(accountId));
  const account = await query.executeTakeFirst();
  return account !== undefined && (await verifyPassword(account.password_hash, password));
}
