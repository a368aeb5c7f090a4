import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Secret } from 'otpauth';
import { conflict, invalidField } from '../../base/errors.js';
import { open, SealError, seal } from '../../base/secrets/seal.js';
import { isFields, parseJson } from '../../base/values.js';
import type { Db } from '../../db/connect.js';
import { row } from '../../db/row.js';
import { transaction } from '../../db/transaction.js';
import { nextEpoch, present } from '../account.js';
import {
  demandProof,
  hashOfRecoveryCode,
  hasSecondFactor,
  ownerOf,
  type SecondFactorDeps,
  stepOf,
  totpOf,
} from './second-factor.js';
import { endSessionsOf } from './session.js';

/**
 * The setting up of a second factor. Nothing is stored until a first code is given: the person gets the secret sealed
 * for the session or token that began the enrolment, and it ends with it.
 */
export interface EnrolmentHolder {
  personId: string;
  epoch: number;
  /** Names the session, or the token, among those of the person. */
  session: string;
}

/** A secret for an authenticator app, and the sealed text that comes back with its first code. */
export interface Enrolment {
  /** In base 32, for those who type it. */
  secret: string;
  /** `otpauth://`, for a QR code. */
  uri: string;
  sealed: string;
  expiresAt: Date;
}

const SECRET_BYTES = 20;
const LIFETIME_MS = 10 * 60 * 1000;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

const randomSecret = (bytes: number) => new Secret({ buffer: new Uint8Array(randomBytes(bytes)).buffer });

const belongsTo = ({ personId, epoch, session }: EnrolmentHolder): string =>
  `enrolment of ${personId}, epoch ${epoch}, ${session}`;

/** Begins an enrolment. Throws CONFLICT when there is a second factor already. */
export async function beginEnrolment(
  { db, keys, clock }: SecondFactorDeps,
  holder: EnrolmentHolder & { email: string },
): Promise<Enrolment> {
  if (await hasSecondFactor(db, holder.personId)) throw alreadyThere();
  const secret = randomSecret(SECRET_BYTES);
  const expiresAt = new Date(clock().getTime() + LIFETIME_MS);
  const content = JSON.stringify({ secret: secret.base32, until: expiresAt.getTime() });
  const sealed = seal(keys, content, belongsTo(holder)).toString('base64url');
  return { ...shown(secret, holder.email), sealed, expiresAt };
}

const shown = (secret: Secret, email: string) => ({ secret: secret.base32, uri: totpOf(secret, email).toString() });

const alreadyThere = () => conflict('second_factor_exists', 'There is a second factor already.');

/** The enrolment that was begun, to be shown again; undefined unless this holder began it within its lifetime. */
export function readEnrolment(
  deps: Pick<SecondFactorDeps, 'keys' | 'clock'>,
  holder: EnrolmentHolder & { email: string },
  sealed: string,
): Enrolment | undefined {
  const begun = opened(deps, holder, sealed);
  return begun && { ...shown(begun.secret, holder.email), sealed, expiresAt: begun.expiresAt };
}

function opened({ keys, clock }: Pick<SecondFactorDeps, 'keys' | 'clock'>, holder: EnrolmentHolder, sealed: string) {
  try {
    const content = parseJson(open(keys, Buffer.from(sealed, 'base64url'), belongsTo(holder)).toString());
    if (!isFields(content)) return undefined;
    const expiresAt = new Date(Number(content['until']));
    if (expiresAt <= clock()) return undefined;
    return { secret: Secret.fromBase32(String(content['secret'])), expiresAt };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

export interface Confirmation {
  enrolment: string;
  code: string;
  /** Proves that the person is there: a stolen token must not bring a second factor of its own. */
  currentPassword?: string | undefined;
}

/**
 * Judges a first code and the password; the function that it resolves to puts the enrolment in force, and ends every
 * session and token of the person. Both throw VALIDATION_ERROR, and CONFLICT when there is a second factor or the
 * password has changed. Throws as `demandProof` does.
 */
export async function prepareConfirmation(
  deps: SecondFactorDeps,
  holder: EnrolmentHolder,
  { enrolment, code, currentPassword }: Confirmation,
) {
  const { keys, clock } = deps;
  const begun = opened(deps, holder, enrolment);
  if (!begun) throw invalidField('enrolment', 'expired', 'was not begun by this sign-in in the last 10 minutes');
  const step = stepOf({ clock }, begun.secret, code.replace(/\s/g, ''));
  if (step === undefined) throw invalidField('code', 'incorrect', 'is not the code of the present');
  await demandProof(deps, holder.personId, { currentPassword });
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const factor = {
    secret_sealed: seal(keys, Buffer.from(begun.secret.buffer), ownerOf(holder.personId)),
    confirmed_at: sql<Date>`now()`,
    last_step: step,
    recovery_hashes: recoveryCodes.map(hashOfRecoveryCode),
  };
  return (within: Db) =>
    transaction(within, async (trx) => {
      const epoch = await endTokens(trx, holder);
      await trx
        .insertInto('second_factors')
        .values(row<'second_factors'>({ account_id: holder.personId, ...factor }))
        .onConflict((other) =>
          other.column('account_id').doUpdateSet(factor).where('second_factors.confirmed_at', 'is', null),
        )
        .returning('account_id')
        .executeTakeFirstOrThrow(alreadyThere);
      await endSessionsOf(trx, holder.personId);
      return { recoveryCodes, epoch };
    });
}

/** Resolves to the next epoch of the account or member. Throws CONFLICT when the epoch of the session has ended. */
async function endTokens(trx: Db, { personId, epoch }: EnrolmentHolder): Promise<number> {
  const accounts = trx.updateTable('accounts').set(nextEpoch).where(present(personId)).where('epoch', '=', epoch);
  const members = trx.updateTable('members').set(nextEpoch).where('id', '=', personId).where('epoch', '=', epoch);
  const changed =
    (await accounts.returning('epoch').executeTakeFirst()) ??
    (await members.where('removed_at', 'is', null).returning('epoch').executeTakeFirst());
  if (!changed) throw conflict('sign_in_ended', 'The sign-in has ended meanwhile.');
  return changed.epoch;
}

/** 80 random bits in base 32, in fours: `ABCD-EFGH-IJKL-MNOP`. */
const newRecoveryCode = (): string => randomSecret(RECOVERY_BYTES).base32.replace(/(.{4})(?=.)/g, '$1-');
