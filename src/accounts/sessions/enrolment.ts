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
 * The person who sets up a second factor. Nothing is stored before the first code: the person gets the secret sealed
 * for the session or token that began the enrolment. The enrolment ends with that session or token.
 */
export interface EnrolmentHolder {
  personId: string;
  epoch: number;
  /** The name of the session or token. It is unique among those of the person. */
  session: string;
}

/** A secret for an authenticator app, and the sealed text to send with the first code. */
export interface Enrolment {
  /** The secret in base 32, for people who type it. */
  secret: string;
  /** The `otpauth://` address, for a QR code. */
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

/** Begins an enrolment. Throws CONFLICT if the person already has a second factor. */
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

/** Opens an enrolment to show it again. Undefined unless this holder began it and it has not expired. */
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
  /** Proves the person's identity, so that a thief of a token cannot set up a second factor. */
  currentPassword?: string | undefined;
}

/**
 * Checks the first code and the password. The returned function puts the second factor in force and ends all sessions
 * and tokens of the person. Both throw VALIDATION_ERROR, and CONFLICT if there is a second factor already or the
 * password has changed. Throws like `demandProof`.
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

/** Raises the epoch of the account or member, and returns it. Throws CONFLICT if the epoch of the session has ended. */
async function endTokens(trx: Db, { personId, epoch }: EnrolmentHolder): Promise<number> {
  const accounts = trx.updateTable('accounts').set(nextEpoch).where(present(personId)).where('epoch', '=', epoch);
  const members = trx.updateTable('members').set(nextEpoch).where('id', '=', personId).where('epoch', '=', epoch);
  const changed =
    (await accounts.returning('epoch').executeTakeFirst()) ??
    (await members.where('removed_at', 'is', null).returning('epoch').executeTakeFirst());
  if (!changed) throw conflict('sign_in_ended', 'The sign-in has ended meanwhile.');
  return changed.epoch;
}

/** Makes a recovery code: 80 random bits in base 32, in groups of four: `ABCD-EFGH-IJKL-MNOP`. */
const newRecoveryCode = (): string => randomSecret(RECOVERY_BYTES).base32.replace(/(.{4})(?=.)/g, '$1-');
