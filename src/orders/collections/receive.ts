import { sql } from 'kysely';
import { v5 } from 'uuid';
import type { Actor } from '../../base/actor.js';
import { conflict, type FieldError, invalid, invalidField } from '../../base/errors.js';
import type { TraceParent } from '../../base/telemetry/tracing.js';
import type { Db } from '../../db/connect.js';
import type { ListedOutcome } from '../../db/tables/collections.js';
import { transaction } from '../../db/transaction.js';
import { fingerprintOf } from '../../idempotency/once.js';
import type { Location, MovementOutcome, NewMovement } from '../../packages/movement.js';
import { readings } from '../../validation/readings.js';
import { recordMovements } from '../record-movements.js';
import { type Collection, getCollection, type ListedPackage, stateOf } from './collection.js';

export interface ReceiptInput {
  /** A time as in RFC 3339. */
  happenedAt: string;
  location?: Location;
  /** Codes of the packages that were there, or of those that were missing. Exactly one list is set. */
  scanned?: readonly string[];
  missing?: readonly string[];
}

const COLLECTED = 14;

/** Namespace for the ids of movements, so that the same receipt makes the same movements. */
const NAMESPACE = '0f5b7f0e-2c0e-4f0e-9a60-7c1b3a0f9d14';

/**
 * Records the packages of a list that a courier received, in one transaction: a movement to status 14 for each. The
 * same receipt again changes nothing. Throws NOT_FOUND, VALIDATION_ERROR, and CONFLICT for a different receipt.
 */
export function receiveCollection(
  db: Db,
  actor: Actor,
  code: string,
  input: ReceiptInput,
  traceparent?: TraceParent,
): Promise<Collection> {
  return transaction(db, async (trx) => {
    await sql`select from collections where code = ${code} for no key update`.execute(trx);
    const before = await getCollection(trx, actor, { code });
    const { present, extraCodes } = presentOf(before.packages, input);
    const fingerprint = fingerprintOf([input.happenedAt, input.location ?? null, [...present].sort(), extraCodes]);
    if (before.list.fingerprint?.equals(fingerprint)) return before;
    const state = stateOf(before.list);
    if (state !== 'open') throw conflict('collection_state', `The list is ${state}.`);
    const movements = before.packages.flatMap(({ loggiKey }) =>
      present.has(loggiKey) ? [collectionOf(loggiKey, before.list.id, input, traceparent)] : [],
    );
    const moved = await recordMovements(trx, movements);
    demandTime(moved.outcomes);
    const collected = new Set(moved.outcomes.flatMap(({ id, result }) => (result === 'refused' ? [] : id)));
    const outcomes = before.packages.map(({ loggiKey }) => ({
      loggiKey,
      outcome: outcomeOf(present.has(loggiKey), collected.has(movementId(before.list.id, loggiKey))),
    }));
    await writeReceipt(trx, actor, before, { input, fingerprint, extraCodes, outcomes });
    return getCollection(trx, actor, { code });
  });
}

const movementId = (listId: string, loggiKey: string): string => v5(`${listId} ${loggiKey}`, NAMESPACE);

const collectionOf = (
  loggiKey: string,
  listId: string,
  { happenedAt, location = null }: Pick<ReceiptInput, 'happenedAt'> & { location?: Location | null | undefined },
  traceparent: TraceParent | undefined,
): NewMovement => ({
  id: movementId(listId, loggiKey),
  loggiKey,
  statusCode: COLLECTED,
  happenedAt,
  location,
  traceparent,
});

function outcomeOf(isPresent: boolean, isCollected: boolean): ListedOutcome {
  if (!isPresent) return 'missing';
  return isCollected ? 'collected' : 'refused';
}

/** The keys of the packages that were there, and the codes that are not on the list. */
function presentOf(packages: readonly ListedPackage[], { scanned, missing }: ReceiptInput) {
  if ((scanned === undefined) === (missing === undefined))
    throw invalidField('scanned', 'contradiction', 'must be given, or missing, and not both');
  const keys = new Map(
    packages.flatMap(({ loggiKey, trackingCode, barcode }) =>
      [loggiKey, trackingCode, barcode].map((name) => [name, loggiKey] as const),
    ),
  );
  const keyOf = (code: string) =>
    keys.get(readings.bare(code)) ?? keys.get(readings.tracking_code(code)) ?? keys.get(readings.uuid(code));
  if (scanned) {
    const extraCodes = [...new Set(scanned.filter((code) => keyOf(code) === undefined))].sort();
    return { present: new Set(scanned.flatMap((code) => keyOf(code) ?? [])), extraCodes };
  }
  const errors = (missing ?? []).flatMap((code, at): FieldError[] =>
    keyOf(code) === undefined ? [{ field: `missing.${at}`, code: 'not_found', message: 'is not on the list' }] : [],
  );
  if (errors.length > 0) throw invalid(errors);
  const absent = new Set((missing ?? []).flatMap((code) => keyOf(code) ?? []));
  return {
    present: new Set(packages.flatMap(({ loggiKey }) => (absent.has(loggiKey) ? [] : loggiKey))),
    extraCodes: [],
  };
}

/** Refuses the whole receipt if its time is wrong. */
function demandTime(outcomes: readonly MovementOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.result !== 'refused' || outcome.field !== 'happenedAt') continue;
    throw invalidField('happenedAt', outcome.fieldCode, outcome.message);
  }
}

interface Receipt {
  input: ReceiptInput;
  fingerprint: Buffer;
  extraCodes: readonly string[];
  outcomes: readonly { loggiKey: string; outcome: ListedOutcome }[];
}

async function writeReceipt(trx: Db, actor: Actor, { list }: Collection, receipt: Receipt): Promise<void> {
  const { input, fingerprint, extraCodes, outcomes } = receipt;
  const { city = null, state = null } = input.location ?? {};
  await sql`
    update collections set received_at = clock_timestamp(), received_by = ${actor.accountId},
      happened_at = ${input.happenedAt}, city = ${city}, state = ${state}, extra_codes = ${extraCodes}::text[],
      fingerprint = ${fingerprint}
    where id = ${list.id}`.execute(trx);
  await sql`
    update collection_packages listed set is_open = false, outcome = told.outcome
    from json_to_recordset(${JSON.stringify(outcomes)}::json) as told("loggiKey" uuid, outcome text)
    where listed.collection_id = ${list.id} and listed.loggi_key = told."loggiKey"`.execute(trx);
  // A package that retention has dropped counts as missing.
  await sql`
    update collection_packages set is_open = false, outcome = 'missing'
    where collection_id = ${list.id} and is_open`.execute(trx);
}
