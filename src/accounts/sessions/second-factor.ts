import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { type Actor, type FactorUse, personOf } from '../../base/actor.js';
import type { Clock } from '../../base/clock.js';
import { forbidden, invalidField, notFound, tooManyFailures } from '../../base/errors.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import { open } from '../../base/secrets/seal.js';
import type { Db } from '../../db/connect.js';
import { eraseRows } from '../../db/erase.js';
import { sealed } from '../../db/tables/sealed.js';
import { transaction } from '../../db/transaction.js';
import { nextEpoch, present } from '../account.js';
import { accountBudgets, loginBudgets, spendAttempt, wrongPassword } from '../login-budget.js';
import { verifyPassword } from '../passwords.js';
import { hashOfSecret } from '../secrets.js';
import type { LoginRefusal } from '../sign-in.js';
import { endSessionsOf } from './session.js';

/**
 * The second factor of operators, of members, and of customers' own sign-ins. It accepts codes of an authenticator app
 * (TOTP, RFC 6238) and ten recovery codes, each once. The secret is stored sealed, recovery codes only as hashes.
 * `personId` is the id of the account or of the member (`personOf`).
 */
export interface SecondFactorDeps {
  db: Db;
  keys: KeyRing;
  clock: Clock;
}

const ISSUER = 'Malote';
const STEP_SECONDS = 30;
/** Number of time steps before and after the present one whose codes are valid, because clocks differ. */
const WINDOW = 1;
const CODE = /^\d{6}$/;

export const totpOf = (secret: Secret, email: string): TOTP =>
  new TOTP({ issuer: ISSUER, label: email, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, secret });

export const ownerOf = (personId: string): string => sealed.secondFactors.ownerOf([personId]);

/** Uses up a recovery code, or a present code that was not used before. False for any other code. */
async function spendCode(deps: SecondFactorDeps, personId: string, code: string): Promise<boolean> {
  const plain = code.replace(/[\s-]/g, '').toUpperCase();
  return CODE.test(plain) ? spendStep(deps, personId, plain) : spendRecoveryCode(deps.db, personId, plain);
}

async function spendStep(deps: SecondFactorDeps, personId: string, code: string): Promise<boolean> {
  const { db, keys } = deps;
  const factor = await factorOf(db, personId);
  const step = factor?.isConfirmed ? stepOf(deps, secretIn(keys, personId, factor.sealed), code) : undefined;
  if (step === undefined) return false;
  const spent = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('account_id', '=', personId)
    .where('last_step', '<', step)
    .returning('account_id')
    .executeTakeFirst();
  return spent !== undefined;
}

async function spendRecoveryCode(db: Db, personId: string, code: string): Promise<boolean> {
  const hash = hashOfRecoveryCode(code);
  const { rows } = await sql<{ account_id: string }>`
    update second_factors set recovery_hashes = array_remove(recovery_hashes, ${hash}::bytea)
    where account_id = ${personId} and confirmed_at is not null and ${hash}::bytea = any(recovery_hashes)
    returning account_id`.execute(db);
  return rows.length > 0;
}

/**
 * Removes the second factor of a person, and ends their sessions and tokens. Throws NOT_FOUND for a person without
 * one.
 */
export function removeSecondFactor(db: Db, personId: string): Promise<void> {
  return transaction(db, async (trx) => {
    await trx.updateTable('accounts').set(nextEpoch).where('id', '=', personId).execute();
    await trx.updateTable('members').set(nextEpoch).where('id', '=', personId).execute();
    if (!(await forgetSecondFactor(trx, personId))) throw noSecondFactor();
  });
}

const noSecondFactor = () => notFound('second factor', 'second_factor_not_found');

/** Erases the second factor and the sessions of a person. The caller ends the tokens. False if there was none. */
export async function forgetSecondFactor(trx: Db, personId: string): Promise<boolean> {
  const removed = await eraseRows(trx, 'second_factors', 'deletion', sql`account_id = ${personId}`);
  await endSessionsOf(trx, personId);
  return removed > 0;
}

/**
 * Removes the person's own second factor by one of its codes. The returned function writes. Throws NOT_FOUND,
 * VALIDATION_ERROR on `code`, RATE_LIMITED, and FORBIDDEN to operators.
 */
export async function prepareOwnRemoval(deps: SecondFactorDeps, actor: Actor, code: string) {
  if (actor.role === 'operator') throw forbidden('own_second_factor', 'Another operator removes your second factor.');
  const personId = personOf(actor);
  if (!(await hasSecondFactor(deps.db, personId))) throw noSecondFactor();
  await demandProof(deps, personId, { code });
  return (trx: Db): Promise<void> => removeSecondFactor(trx, personId);
}

export const hasSecondFactor = async (db: Db, personId: string): Promise<boolean> =>
  (await factorOf(db, personId))?.isConfirmed === true;

const factorOf = (db: Db, personId: string) =>
  db
    .selectFrom('second_factors')
    .select(['secret_sealed as sealed', sql<boolean>`confirmed_at is not null`.as('isConfirmed')])
    .where('account_id', '=', personId)
    .executeTakeFirst();

const secretIn = (keys: KeyRing, personId: string, sealed: Buffer): Secret =>
  new Secret({ buffer: new Uint8Array(open(keys, sealed, ownerOf(personId))).buffer });

/** The number of the time step of a code. Undefined if the code is of no step near the present. */
export function stepOf({ clock }: Pick<SecondFactorDeps, 'clock'>, secret: Secret, code: string): number | undefined {
  const timestamp = clock().getTime();
  const away = CODE.test(code) ? totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW }) : null;
  return away === null ? undefined : Math.floor(timestamp / 1000 / STEP_SECONDS) + away;
}

export const hashOfRecoveryCode = (code: string): Buffer => hashOfSecret(code.replaceAll('-', ''));

interface CodeGiver extends Pick<Actor, 'accountId' | 'member'> {
  email: string;
}

/**
 * Uses up a code at a sign-in with a right password. Undefined if the code is right. Wrong codes count in the budgets
 * of failed logins, and in the person's budget over all networks.
 */
export async function spendLoginCode(
  deps: SecondFactorDeps,
  person: CodeGiver,
  code: string,
  ip: string,
): Promise<LoginRefusal | undefined> {
  const personId = personOf(person);
  const budgets = [...loginBudgets({ email: person.email, ip, networkKnown: true }), ...accountBudgets(personId)];
  const attempt = await spendAttempt(deps.db, budgets, () => spendCode(deps, personId, code));
  if (!attempt.granted) return { ok: false, reason: 'budget', retryAfterSeconds: attempt.retryAfterSeconds };
  return attempt.succeeded ? undefined : { ok: false, reason: 'credentials' };
}

interface FactorRules {
  db: Db;
  /** True if an operator without a second factor may only set one up. */
  isRequired: boolean;
}

const REASON = 'second_factor_required';

export const codeMissing = () => forbidden(REASON, 'Send a code of your second factor, too.');

/**
 * Refuses people whose token or key has no second factor. If the account or the service demands one, a person without
 * it may only set it up. Operators who have one may only read without giving it. Other people get no token without it.
 * Throws FORBIDDEN.
 */
export const factorDemand =
  ({ db, isRequired }: FactorRules) =>
  (actor: Actor, use: FactorUse): void | Promise<void> => {
    if (actor.mustEnrol && use !== 'enrolment') throw enrolmentDue();
    if (actor.role !== 'operator' || actor.withFactor || use === 'enrolment') return;
    if (use === 'change' || isRequired) return demandFactor(db, actor.accountId, use, isRequired);
  };

const enrolmentDue = () =>
  forbidden(REASON, 'Your account demands a second factor: set it up at POST /api/v1/members/me/second-factor.');

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

export interface PersonProof {
  currentPassword?: string | undefined;
  code?: string | undefined;
}

/**
 * Demands the current password or a code of the second factor, before an action that a stolen token must not allow.
 * Throws FORBIDDEN without either, VALIDATION_ERROR on the wrong field, RATE_LIMITED.
 */
export async function demandProof(deps: SecondFactorDeps, personId: string, { currentPassword, code }: PersonProof) {
  if (code === undefined && currentPassword === undefined) throw reauthenticationRequired();
  const isRight =
    code === undefined
      ? () => isPassword(deps.db, personId, currentPassword ?? '')
      : () => spendCode(deps, personId, code);
  const attempt = await spendAttempt(deps.db, accountBudgets(personId), isRight);
  if (!attempt.granted) throw tooManyFailures(attempt);
  if (attempt.succeeded) return;
  if (code === undefined) throw wrongPassword();
  throw invalidField('code', 'incorrect', 'is not valid, or was used before');
}

export const reauthenticationRequired = () =>
  forbidden('reauthentication_required', 'Send current_password, or a code of your second factor.');

async function isPassword(db: Db, personId: string, password: string): Promise<boolean> {
  const hash = (await signInOf(db, personId))?.passwordHash ?? null;
  return hash !== null && (await verifyPassword(hash, password));
}

/** The e-mail address and the password's hash of an account or a member. Undefined if it is deleted or removed. */
export function signInOf(db: Db, personId: string) {
  const members = db.selectFrom('members').where('id', '=', personId).where('removed_at', 'is', null);
  const accounts = db.selectFrom('accounts').where(present(personId));
  const hash = sql<string | null>`password_hash`.as('passwordHash');
  return accounts
    .select(['email', hash])
    .unionAll(members.select(['email', hash]))
    .executeTakeFirst();
}
