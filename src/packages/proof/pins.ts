import { randomInt, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, notFound } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import { DELIVERED, type NewMovement, type Refusal, refusedField } from '../movement.js';
import { openFor, sealFor } from './sealed.js';

/**
 * A package may have a PIN. Its sender gives it to the recipient, who tells it to the courier. Five wrong PINs block it
 * until the operator overrides it with a reason.
 */

const DIGITS = 6;
const MAX_WRONG = 5;

export function newSealedPin(keys: KeyRing, loggiKey: string): Buffer {
  const digits = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  return sealFor(keys, loggiKey, 'pin', digits);
}

export const openPin = (keys: KeyRing, loggiKey: string, sealed: Buffer): string =>
  openFor(keys, loggiKey, 'pin', sealed).toString('utf8');

/**
 * The PIN. Undefined for anyone but the account of the package: the operator's couriers must get it from the recipient.
 */
export function shownPin(
  { accountId }: Actor,
  keys: KeyRing,
  { loggiKey, accountId: ownerId, sealedPin }: { loggiKey: string; accountId: string; sealedPin: Buffer | null },
): string | undefined {
  return sealedPin && accountId === ownerId ? openPin(keys, loggiKey, sealedPin) : undefined;
}

export interface Pin {
  loggiKey: string;
  digits: string | undefined;
  wrongTries: number;
  isOverridden: boolean;
  isConfirmed: boolean;
}

/** The refusal of a handover, if there is one. Counts a wrong PIN in `pins`. */
export function pinRefusal(pins: Map<string, Pin>, loggiKey: string, pinTold: string | undefined): Refusal | undefined {
  const pin = pins.get(loggiKey);
  if (!pin || pin.isOverridden) return undefined;
  if (pin.wrongTries >= MAX_WRONG)
    return { code: 'CONFLICT', reason: 'pin_blocked', message: blocked, field: 'pin', fieldCode: 'state' };
  if (pinTold === undefined) return refusedField('pin', 'required', 'is required by this package');
  if (isSame(pinTold, pin.digits)) {
    pins.set(loggiKey, { ...pin, isConfirmed: true });
    return undefined;
  }
  pins.set(loggiKey, { ...pin, wrongTries: pin.wrongTries + 1 });
  return refusedField('pin', 'incorrect', 'is not the PIN of this package');
}

const blocked = `is blocked after ${MAX_WRONG} wrong ones, until the operator overrides it`;

/** Compares in a time that does not depend on the number of right digits. */
function isSame(pinTold: string, digits = ''): boolean {
  const [one, other] = [Buffer.from(pinTold), Buffer.from(digits)];
  return one.length === other.length && timingSafeEqual(one, other);
}

type PinRow = Omit<Pin, 'digits'> & { sealed: Buffer };

/** Reads and locks the PINs of packages that the movements hand over. The packages must be locked already. */
export async function lockPins(trx: Db, items: readonly NewMovement[]): Promise<Map<string, Pin>> {
  const handedOver = items.filter(({ statusCode, loggiKey }) => statusCode === DELIVERED && isId(loggiKey));
  if (handedOver.length === 0) return new Map();
  const rings = new Map(
    handedOver.flatMap(({ loggiKey, handover }): [string, KeyRing][] =>
      handover?.pin === undefined ? [] : [[loggiKey.toLowerCase(), handover.keys]],
    ),
  );
  const { rows } = await sql<PinRow>`
    select
      loggi_key as "loggiKey", pin as sealed, wrong_tries as "wrongTries", overridden_at is not null as "isOverridden",
      confirmed_at is not null as "isConfirmed"
    from delivery_pins where loggi_key = any(${handedOver.map(({ loggiKey }) => loggiKey)}::uuid[])
    order by loggi_key for update`.execute(trx);
  const pinOf = ({ sealed, ...pin }: PinRow): [string, Pin] => {
    const keys = rings.get(pin.loggiKey);
    return [pin.loggiKey, { ...pin, digits: keys && openPin(keys, pin.loggiKey, sealed) }];
  };
  return new Map(rows.map(pinOf));
}

export async function writePins(trx: Db, pins: readonly Pin[]): Promise<void> {
  if (pins.length === 0) return;
  const rows = pins.map(({ loggiKey, wrongTries, isConfirmed }) => ({ loggiKey, wrongTries, isConfirmed }));
  await sql`
    update delivery_pins set
      wrong_tries = after."wrongTries", confirmed_at = case when after."isConfirmed" then coalesce(confirmed_at, now()) end
    from json_to_recordset(${JSON.stringify(rows)}::json) as after("loggiKey" uuid, "wrongTries" smallint, "isConfirmed" boolean)
    where loggi_key = after."loggiKey"`.execute(trx);
}

export interface PinState {
  loggiKey: string;
  state: 'waiting' | 'blocked' | 'confirmed' | 'overridden';
  wrongTries: number;
  confirmedAt: Date | null;
  overriddenAt: Date | null;
  overrideReason: string | null;
}

type StateRow = Omit<PinState, 'state'> & { isFinal: boolean };

async function readState(db: Db, loggiKey: string): Promise<StateRow> {
  const { rows } = await sql<StateRow>`
    select
      pin.loggi_key as "loggiKey", wrong_tries as "wrongTries", confirmed_at as "confirmedAt",
      overridden_at as "overriddenAt", override_reason as "overrideReason", s.final as "isFinal"
    from delivery_pins pin
    join packages p on p.loggi_key = pin.loggi_key and ${inPartitionsOf('p.loggi_key', [loggiKey])}
    join package_statuses s on s.code = p.status_code
    where pin.loggi_key = ${loggiKey}`.execute(db);
  if (!rows[0]) throw notFound('PIN', 'pin_not_found');
  return rows[0];
}

function stateOf({ isFinal: _, ...row }: StateRow): PinState {
  const open = row.wrongTries >= MAX_WRONG ? 'blocked' : 'waiting';
  return { ...row, state: (row.overriddenAt && 'overridden') ?? (row.confirmedAt && 'confirmed') ?? open };
}

export const getPinState = async (db: Db, loggiKey: string): Promise<PinState> =>
  stateOf(await readState(db, loggiKey));

/** Allows a delivery without the PIN. Throws NOT_FOUND if there is no PIN, CONFLICT after a final status. */
export async function overridePin(trx: Db, loggiKey: string, reason: string): Promise<PinState> {
  const { isFinal } = await readState(trx, loggiKey);
  if (isFinal) throw conflict('package_final', 'The package has reached a final status.');
  await trx
    .updateTable('delivery_pins')
    .set({ overridden_at: sql<Date>`now()`, override_reason: reason })
    .where('loggi_key', '=', loggiKey)
    .where('overridden_at', 'is', null)
    .execute();
  return getPinState(trx, loggiKey);
}
