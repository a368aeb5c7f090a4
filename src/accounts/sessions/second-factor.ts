import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Clock } from '../../base/clock.js';
import { conflict, notFound } from '../../base/errors.js';
import type { KeyRing } from '../../base/keys.js';
import { open, seal } from '../../base/seal.js';
import type { Db } from '../../db/connect.js';
import type { SealedTable } from '../../db/sealed-tables.js';
import { transaction } from '../../db/transaction.js';
import { endSessionsOf } from './session.js';

/**
 * The second factor of operators at the console: codes of an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 s), and ten recovery
 * codes for the day on which it is lost, each good once. The secret is sealed, of recovery codes only hashes are stored.
 */
export interface SecondFactorDeps {
  db: Db;
  /** Seals and opens the secrets. */
  keys: KeyRing;
  clock: Clock;
}

interface Holder {
  accountId: string;
  email: string;
}

/** What an authenticator app is given. */
interface Enrolment {
  /** In base 32, for those who type it. */
  secret: string;
  /** `otpauth://`, for a QR code. */
  uri: string;
}

export const sealedSecondFactors: SealedTable = {
  table: 'second_factors',
  what: 'second factors of operators',
  key: ['account_id'],
  sealed: ['secret_sealed'],
  current: sql`true`,
  ownerOf: ([accountId = '']) => `second factor of ${accountId}`,
};

const ISSUER = 'Malote';
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
/** Steps before and after the present one whose codes count, as clocks differ. */
const WINDOW = 1;
const CODE = /^\d{6}$/;

const totpOf = (secret: Secret, email: string): TOTP =>
  new TOTP({ issuer: ISSUER, label: email, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, secret });

const ownerOf = (accountId: string): string => sealedSecondFactors.ownerOf([accountId]);

/**
 * Begins an enrolment, or shows the one that was begun: no code is asked for until it is confirmed. Throws CONFLICT when there is a
 * second factor already.
 */
export async function beginEnrolment({ db, keys }: SecondFactorDeps, holder: Holder): Promise<Enrolment> {
  const fresh = seal(keys, randomBytes(SECRET_BYTES), ownerOf(holder.accountId));
  await db
    .insertInto('second_factors')
    .values({ account_id: holder.accountId, secret_sealed: fresh })
    .onConflict((begun) => begun.column('account_id').doNothing())
    .execute();
  const factor = await factorOf(db, holder.accountId);
  if (!factor || factor.isConfirmed) throw conflict('There is a second factor already.');
  const secret = secretIn(keys, holder.accountId, factor.sealed);
  return { secret: secret.base32, uri: totpOf(secret, holder.email).toString() };
}

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/**
 * Puts an enrolment in force by a first code; resolves to the recovery codes, which are shown this once, or undefined when the code is
 * wrong. Every session of the account ends, so the caller opens a new one.
 */
export async function confirmEnrolment(
  deps: SecondFactorDeps,
  holder: Holder,
  code: string,
): Promise<string[] | undefined> {
  const { db, keys } = deps;
  const factor = await factorOf(db, holder.accountId);
  if (!factor || factor.isConfirmed) throw conflict('No second factor is being set up.');
  const step = stepOf(deps, secretIn(keys, holder.accountId, factor.sealed), code);
  if (step === undefined) return undefined;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const isMine = await transaction(db, async (trx) => {
    const confirmed = await trx
      .updateTable('second_factors')
      .set({ confirmed_at: sql<Date>`now()`, last_step: step, recovery_hashes: codes.map(hashOfRecoveryCode) })
      .where('account_id', '=', holder.accountId)
      .where('confirmed_at', 'is', null)
      .returning('account_id')
      .executeTakeFirst();
    await endSessionsOf(trx, holder.accountId);
    return confirmed !== undefined;
  });
  if (!isMine) throw conflict('No second factor is being set up.');
  return codes;
}

/** Whether it is a code of the present, not accepted before, or a recovery code that is left; either is then used up. */
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

/** Removes the second factor of an account, and ends its sessions. Throws NOT_FOUND when it has none. */
export function removeSecondFactor(db: Db, accountId: string): Promise<void> {
  return transaction(db, async (trx) => {
    if (!(await forgetSecondFactor(trx, accountId))) throw notFound('second factor');
  });
}

/** The same of an account that may have none; resolves to whether it had one. */
export async function forgetSecondFactor(trx: Db, accountId: string): Promise<boolean> {
  const query = trx.deleteFrom('second_factors').where('account_id', '=', accountId);
  const { numDeletedRows } = await query.executeTakeFirstOrThrow();
  await endSessionsOf(trx, accountId);
  return numDeletedRows > 0n;
}

/** Whether an account has one that is in force. */
export const hasSecondFactor = async (db: Db, accountId: string): Promise<boolean> =>
  (await factorOf(db, accountId))?.isConfirmed === true;

interface Factor {
  sealed: Buffer;
  isConfirmed: boolean;
}

async function factorOf(db: Db, accountId: string): Promise<Factor | undefined> {
  return db
    .selectFrom('second_factors')
    .select(['secret_sealed as sealed', sql<boolean>`confirmed_at is not null`.as('isConfirmed')])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

const secretIn = (keys: KeyRing, accountId: string, sealed: Buffer): Secret =>
  new Secret({ buffer: new Uint8Array(open(keys, sealed, ownerOf(accountId))).buffer });

/** The number of the time step that the code is of; undefined when it is of none near the present. */
function stepOf({ clock }: SecondFactorDeps, secret: Secret, code: string): number | undefined {
  const timestamp = clock().getTime();
  const away = CODE.test(code) ? totpOf(secret, '').validate({ token: code, timestamp, window: WINDOW }) : null;
  return away === null ? undefined : Math.floor(timestamp / 1000 / STEP_SECONDS) + away;
}

/** 80 random bits in base 32, in fours: `ABCD-EFGH-IJKL-MNOP`. */
const newRecoveryCode = (): string => {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
  return text.replace(/(.{4})(?=.)/g, '$1-');
};

const hashOfRecoveryCode = (code: string): Buffer => createHash('sha256').update(code.replaceAll('-', '')).digest();
