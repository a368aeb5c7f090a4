import { type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { oneRow } from '../db/one-row.js';
import { row } from '../db/row.js';
import type { PackageReopenings } from '../db/tables/changes.js';
import { enqueueNotifications } from '../queue/enqueue.js';
import { type HistoryEntry, historyOf } from './queries.js';

/** Most days in which a final status can be taken back. */
const MAX_DAYS = 7;

export interface NewReopening {
  loggiKey: string;
  orderId: string;
  accountId: string;
  reason: string;
  traceparent?: TraceParent | undefined;
}

/** The current movement of a locked package. */
interface Ending {
  seq: number;
  isFinal: boolean;
  isTooOld: boolean;
}

/**
 * Takes back the final status of a locked package. It adds a movement of now, with the status that the package would
 * have without the mistake, and notifies as usual. The proof of the mistake is removed, and the PIN must be told again.
 * Throws CONFLICT if the status is not final, or was recorded more than 7 days ago.
 * Model: Movements!Reopen (lab/models)
 */
export async function reopen(trx: Db, actor: Actor, reopening: NewReopening): Promise<void> {
  const { loggiKey, orderId, accountId, reason, traceparent } = reopening;
  const ending = await endingOf(trx, loggiKey);
  if (!ending.isFinal) throw conflict('package_not_final', 'The package has no final status that could be taken back.');
  if (ending.isTooOld)
    throw conflict('reopening_too_late', `The final status was recorded more than ${MAX_DAYS} days ago.`);
  const movementId = newId();
  const seq = await insertReopening(trx, loggiKey, movementId, ending.seq);
  const values = {
    movement_id: movementId,
    loggi_key: loggiKey,
    order_id: orderId,
    operator_id: actor.accountId,
    reason,
  };
  await trx.insertInto('package_reopenings').values(row<'package_reopenings'>(values)).execute();
  await trx.deleteFrom('delivery_proofs').where('loggi_key', '=', loggiKey).execute();
  await trx.deleteFrom('delivery_pictures').where('loggi_key', '=', loggiKey).execute();
  await trx.updateTable('delivery_pins').set({ confirmed_at: null }).where('loggi_key', '=', loggiKey).execute();
  await enqueueNotifications(trx, [{ accountId, loggiKey, seq, traceparent }]);
}

const endingOf = (trx: Db, loggiKey: string): Promise<Ending> =>
  oneRow(
    trx,
    sql<Ending>`
      select m.seq, s.final as "isFinal", m.recorded_at < clock_timestamp() - make_interval(days => ${MAX_DAYS}) as "isTooOld"
      from packages p
      join movements m on m.loggi_key = p.loggi_key and m.id = p.current_movement_id and ${inPartitionsOf('m.loggi_key', [loggiKey])}
      join package_statuses s on s.code = p.status_code
      where p.loggi_key = ${loggiKey} and ${inPartitionsOf('p.loggi_key', [loggiKey])}`,
  );

/** Inserts a movement with the facts of the status before, and makes it current. Resolves to its `seq`. */
async function insertReopening(trx: Db, loggiKey: string, id: string, mistake: number): Promise<number> {
  const ofPackage = (column: string) => sql`${sql.ref(column)} = ${loggiKey} and ${inPartitionsOf(column, [loggiKey])}`;
  const { seq } = await oneRow(
    trx,
    sql<{ seq: number }>`
      with key as (
        insert into movement_keys (id, loggi_key) values (${id}, ${loggiKey})
      ), before as materialized (
        select m.* from movements m join package_statuses s on s.code = m.status_code
        where ${ofPackage('m.loggi_key')} and not s.final
        order by m.happened_at desc, m.seq desc limit 1
      ), taken_back as (
        update movements m set reopened_by = p.seq + 1 from packages p
        where ${ofPackage('m.loggi_key')} and m.seq = ${mistake} and ${ofPackage('p.loggi_key')}
      ), inserted as (
        insert into movements (
          id, loggi_key, seq, status_code, happened_at, city, state, reason_label, reason_description,
          agency_address, agency_city, agency_state, agency_postal_code, reopens)
        select
          ${id}, p.loggi_key, p.seq + 1, before.status_code, greatest(clock_timestamp(), p.status_since, before.happened_at),
          before.city, before.state, reason_label, reason_description,
          agency_address, agency_city, agency_state, agency_postal_code, ${mistake}
        from before, packages p where ${ofPackage('p.loggi_key')}
        returning seq, status_code, happened_at
      )
      update packages p set
        seq = inserted.seq, status_code = inserted.status_code, status_since = inserted.happened_at,
        current_movement_id = ${id}
      from inserted where ${ofPackage('p.loggi_key')}
      returning inserted.seq`,
  );
  return seq;
}

/** A movement. If it took back a final status, `reopening` has the reason. */
export interface StoryEntry extends HistoryEntry {
  reopening: Selectable<PackageReopenings> | undefined;
}

/** Lists the movements of a package as `historyOf` does, with the reasons of reopenings. */
export async function storyOf(db: Db, loggiKey: string, page: Page): Promise<Listed<StoryEntry>> {
  const { rows, total } = await historyOf(db, loggiKey, page);
  const reopenings = rows.some(({ isReopening }) => isReopening)
    ? await db.selectFrom('package_reopenings').selectAll().where('loggi_key', '=', loggiKey).execute()
    : [];
  const byMovement = new Map(reopenings.map((each) => [each.movement_id, each]));
  return { rows: rows.map((entry) => ({ ...entry, reopening: byMovement.get(entry.id) })), total };
}
