/**
 * # How a package moves
 *
 * ## Who takes part
 *
 * - A reporter sends movements, each with an id of its own. Small requests are recorded together
 *   (orders/record-together.ts).
 * - `movePackages` locks the packages, decides in memory (decide-movements.ts) and writes movements, new states, proofs
 *   and notifications in one transaction. `orders` then derives the status of each order from its packages.
 * - sandbox/ reports movements of test orders in the same way.
 *
 * ## Promises
 *
 * - A movement is recorded once, however often it is reported.
 * - The current status follows from the times of the movements, not from the order in which they arrive.
 * - Each recorded movement has its notifications, or none of them is committed.
 * - Batches that share packages do not deadlock: they lock packages in the order of their keys.
 *
 * Not promised: that a batch is recorded whole. Each movement is refused or recorded by itself.
 */
import { sql } from 'kysely';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { transaction } from '../db/transaction.js';
import { enqueueNotifications } from '../queue/enqueue.js';
import { listStatuses } from './catalogue.js';
import { type BatchContext, type BatchDecision, decideMovements } from './decide-movements.js';
import { instant } from './instant.js';
import {
  type AcceptedMovement,
  factColumns,
  type MovementContent,
  type MovementOutcome,
  type NewMovement,
  type PackageState,
} from './movement.js';
import { lockPins, writePins } from './proof/pins.js';
import { insertProofs, storedProofText } from './proof/proofs.js';

export interface PackagesMoved {
  outcomes: MovementOutcome[];
  /** Orders with a package whose current status changed. */
  orderIds: string[];
}

/**
 * Records movements and enqueues their notifications in one transaction, in a fixed number of statements. It locks
 * packages in the order of their keys, so batches never deadlock, and `seq` has the order of the commits.
 * `lockTimeoutMs` is the longest wait for a lock; the default is the connection's.
 * Model: Lanes!Commit (lab/models)
 */
export function movePackages(db: Db, items: readonly NewMovement[], lockTimeoutMs?: number): Promise<PackagesMoved> {
  return transaction(db, async (trx) => {
    const statuses = new Map((await listStatuses(trx)).map((status) => [status.code, status]));
    const locks = await lockPackages(trx, items, lockTimeoutMs);
    const decision = await decideAndInsert(trx, items, { statuses, ...locks, pins: await lockPins(trx, items) });
    await writePins(trx, decision.pins);
    if (decision.accepted.length > 0) {
      await updatePackages(trx, decision.packages);
      await insertProofs(trx, items, decision);
      await notify(trx, decision);
    }
    return { outcomes: decision.outcomes, orderIds: decision.orderIds };
  });
}

/** Decides and inserts. Does so again if another transaction has just used an id for another package. */
async function decideAndInsert(
  trx: Db,
  items: readonly NewMovement[],
  context: Omit<BatchContext, 'recorded'>,
): Promise<BatchDecision> {
  const recorded = await recordedUnder(trx, items);
  const decision = decideMovements(items, { ...context, recorded });
  const insertedIds = await insertMovements(trx, decision.accepted);
  if (insertedIds.length === decision.accepted.length) return decision;
  await withdrawMovements(trx, decision.accepted, insertedIds);
  return decideAndInsert(trx, items, context);
}

async function notify(trx: Db, { accepted, packages }: BatchDecision): Promise<void> {
  const accounts = new Map(packages.map(({ loggiKey, accountId }) => [loggiKey, accountId]));
  const notifications = accepted.flatMap(({ loggiKey, seq, traceparent }) => {
    const accountId = accounts.get(loggiKey);
    return accountId === undefined ? [] : [{ accountId, loggiKey, seq, traceparent }];
  });
  await enqueueNotifications(trx, notifications);
}

type Clocks = Pick<BatchContext, 'now' | 'latest'>;

/**
 * Locks the packages of a batch. `now` is the database's time after the last lock. The lock timeout is set before the
 * first row is read.
 * Model: Movements!LockPackage (lab/models)
 */
async function lockPackages(trx: Db, items: readonly NewMovement[], lockTimeoutMs?: number) {
  const limit = lockTimeoutMs === undefined ? null : String(lockTimeoutMs);
  const { rows } = await sql<PackageState & Clocks>`
    select
      loggi_key as "loggiKey", account_id as "accountId", order_id as "orderId", seq, status_code as "statusCode",
      ${instant(sql`status_since`)} as since, current_movement_id as "currentMovementId",
      coalesce(attempt_count, 0) as "attemptCount", attempt_outcome as "attemptOutcome",
      attempt_next_on as "attemptNextOn", ${instant(sql`attempted_at`)} as "attemptedAt",
      ${instant(sql`created_at`)} as "createdAt", ${instant(sql`(created_at - interval '5 minutes')`)} as earliest,
      ${instant(sql`clock_timestamp()`)} as now, ${instant(sql`(clock_timestamp() + interval '5 minutes')`)} as latest
    from packages
    where ${ofPackages(items)}
      and (select case when ${limit}::text is null then '' else set_config('lock_timeout', ${limit}, true) end) is not null
    order by loggi_key
    for no key update`.execute(trx);
  const packages = new Map(rows.map(({ now: _, latest: __, ...state }) => [state.loggiKey, state]));
  const noTime: Clocks = { now: '', latest: '' };
  const { now, latest } = rows.reduce<Clocks>((last, row) => (row.now > last.now ? row : last), noTime);
  return { packages, now, latest };
}

/**
 * Reads the recorded movements with ids of a batch. Most ids are new, so it first looks for their keys only. The first
 * movement of a package has no key, so it is looked for in the packages. A movement whose row was dropped keeps only
 * its key, so it equals no report.
 */
async function recordedUnder(trx: Db, items: readonly NewMovement[]): Promise<Map<string, MovementContent>> {
  const ids = distinctIds(items.map(({ id }) => id));
  const taken = await sql<{ id: string; loggi_key: string }>`
    select id, loggi_key from movement_keys where id = any(${ids}::uuid[])
    union
    select id, loggi_key from movements where ${ofPackages(items)} and id = any(${ids}::uuid[])`.execute(trx);
  if (taken.rows.length === 0) return new Map();
  const keys = taken.rows.map(({ loggi_key }) => loggi_key);
  const { rows } = await sql<Omit<MovementContent, 'proof'> & { id: string; hasProof: boolean; facts: Buffer | null }>`
    select
      taken.id, taken.loggi_key as "loggiKey", coalesce(m.status_code, 0) as "statusCode",
      coalesce(${instant(sql`coalesce(m.reported_at, m.happened_at)`)}, '') as "reportedAt", ${sql.raw(factColumns)},
      proof.movement_id is not null as "hasProof", proof.facts
    from unnest(${taken.rows.map(({ id }) => id)}::uuid[], ${keys}::uuid[]) taken (id, loggi_key)
    left join movements m on m.id = taken.id and m.loggi_key = taken.loggi_key and ${inPartitionsOf('m.loggi_key', keys)}
    left join delivery_proofs proof on proof.loggi_key = taken.loggi_key and proof.movement_id = taken.id`.execute(trx);
  const rings = new Map(items.flatMap(({ id, handover }) => (handover ? [[id.toLowerCase(), handover.keys]] : [])));
  return new Map(
    rows.map(({ id, hasProof, facts, ...content }) => {
      const proof = hasProof ? storedProofText(content.loggiKey, facts, rings.get(id)) : null;
      return [id, { ...content, proof }];
    }),
  );
}

function ofPackages(items: readonly { loggiKey: string }[]) {
  const keys = distinctIds(items.map(({ loggiKey }) => loggiKey));
  return sql`loggi_key = any(${keys}::uuid[]) and ${inPartitionsOf('loggi_key', keys)}`;
}

async function withdrawMovements(trx: Db, accepted: readonly AcceptedMovement[], ids: readonly string[]) {
  await sql`delete from movements where ${ofPackages(accepted)} and id = any(${ids}::uuid[])`.execute(trx);
  await sql`delete from movement_keys where id = any(${ids}::uuid[])`.execute(trx);
}

/** The distinct UUIDs among the texts, in lower case. */
const distinctIds = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter(isId).map((text) => text.toLowerCase())),
];

/**
 * Inserts movements and resolves to their ids, without those that another transaction has inserted. Ids go in first.
 * Rows are sorted, so batches with the same ids do not deadlock. `recorded_at` grows with each movement of a package.
 */
async function insertMovements(trx: Db, movements: readonly AcceptedMovement[]): Promise<string[]> {
  if (movements.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with accepted as materialized (
      select * from json_to_recordset(${JSON.stringify(movements)}::json) as accepted(
        id uuid, "loggiKey" uuid, seq integer, "statusCode" smallint, "happenedAt" timestamptz, "reportedAt" timestamptz,
        moved_city text, moved_state text,
        reason_label text, reason_description text,
        agency_address text, agency_city text, agency_state text, agency_postal_code text,
        moved_attempt text, moved_next_on date, expected_from timestamptz, expected_to timestamptz)
    ), free_ids as (
      insert into movement_keys (id, loggi_key)
      select id, "loggiKey" from accepted order by id
      on conflict do nothing
      returning id
    )
    insert into movements (
      id, loggi_key, seq, status_code, happened_at, reported_at, recorded_at, city, state,
      reason_label, reason_description, agency_address, agency_city, agency_state, agency_postal_code,
      attempt_outcome, attempt_next_on, expected_from, expected_to)
    select
      id, "loggiKey", seq, "statusCode", "happenedAt", nullif("reportedAt", "happenedAt"),
      (select clock_timestamp()) + interval '1 microsecond' * row_number() over (partition by "loggiKey" order by seq),
      moved_city, moved_state, reason_label, reason_description, agency_address, agency_city, agency_state, agency_postal_code,
      moved_attempt, moved_next_on, expected_from, expected_to
    from accepted
    where id in (select id from free_ids)
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

async function updatePackages(trx: Db, packages: readonly PackageState[]): Promise<void> {
  const keys = packages.map(({ loggiKey }) => loggiKey);
  await sql`
    with after as materialized (
      select * from json_to_recordset(${JSON.stringify(packages)}::json) as after(
        "loggiKey" uuid, seq integer, "statusCode" smallint, since timestamptz, "currentMovementId" uuid,
        "attemptCount" smallint, "attemptOutcome" text, "attemptNextOn" date, "attemptedAt" timestamptz)
    )
    update packages set
      seq = after.seq, status_code = after."statusCode", status_since = after.since,
      current_movement_id = after."currentMovementId", attempt_count = nullif(after."attemptCount", 0),
      attempt_outcome = after."attemptOutcome", attempt_next_on = after."attemptNextOn",
      attempted_at = after."attemptedAt"
    from after
    where packages.loggi_key = after."loggiKey" and packages.loggi_key = any(array(select "loggiKey" from after))
      and ${inPartitionsOf('packages.loggi_key', keys)}`.execute(trx);
}
