import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import { inBackground } from '../../base/background.js';
import { invalidField, ServiceError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { Place } from '../../base/place.js';
import type { Logger } from '../../base/telemetry/log.js';
import { inSlices } from '../../base/turns/slices.js';
import { refusalAt, verdictAt } from '../../carrier/areas.js';
import { keptCalendar } from '../../carrier/calendars.js';
import type { Db } from '../../db/connect.js';
import { deleteInChunks } from '../../db/delete-in-chunks.js';
import { holdLease, releaseLease } from '../../db/health/leases.js';
import { row } from '../../db/row.js';
import type { Service } from '../../db/tables/prices.js';
import { embeddedGeocoder } from '../../routing/address/embedded-geocoder.js';
import { readAccountFacts } from '../order-facts.js';
import { tableRows } from './make-table.js';
import type { TableFacts } from './table-facts.js';

/**
 * # Tables of prices
 *
 * ## Who takes part
 *
 * - `askRateTable` answers a table that is there, or stores that an account waits for it.
 * - `startRateTables` makes waiting tables one after another, in one process at a time, in the turns of other work.
 * - make-table.ts prices; table-file.ts writes the file that an edge sends.
 *
 * ## Promises
 *
 * - A table has one rate card, one calendar, one version of the service areas. Its key follows from all of them, so a
 *   new version is another table.
 * - A table waits on when its making is cut off. A table that fails, or whose versions are over, is forgotten; then the
 *   account asks again.
 *
 * Not promised: the prices of an installation that asks OSRM for distances. Tables have embedded distances.
 */
export const usualWeights = [500, 1000, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000];

export interface TableWanted {
  pickupPostalCode: string;
  service: Service;
  /** Upper bounds of the bands, in grams. */
  weights: readonly number[];
}

export type AskedTable =
  | { kind: 'made'; key: string; file: Buffer; percent: number | undefined; leastCentavos: number | undefined }
  | { kind: 'waiting'; askedAt: Date };

/** Version of the stored layout. It is a part of the key, so a new layout makes new tables. */
const FORM = 1;
const MAX_WAITING = 3;

/** Returns the table, or lets the account wait for it. Throws VALIDATION_ERROR, and RATE_LIMITED if too many wait. */
export async function askRateTable(db: Db, accountId: string, wanted: TableWanted): Promise<AskedTable> {
  demandRising(wanted.weights);
  const { key, facts } = await factsOf(db, accountId, wanted);
  const { rows } = await sql<{ file: Buffer | null; askedAt: Date }>`
    with used as (
      update rate_tables set used_at = now() where key = ${key} and used_at < now() - interval '1 day'
    )
    select file, asked_at as "askedAt" from rate_tables where key = ${key}`.execute(db);
  const [known] = rows;
  const charge = facts.card.ad_valorem;
  if (known?.file)
    return {
      ...{ kind: 'made', key, file: known.file },
      percent: charge?.basisPoints,
      leastCentavos: charge?.leastCentavos,
    };
  return { kind: 'waiting', askedAt: known?.askedAt ?? (await waitFor(db, accountId, key, wanted)) };
}

function demandRising(weights: readonly number[]): void {
  const wrong = weights.find((weight, at) => weight <= (weights[at - 1] ?? 0));
  if (wrong !== undefined) throw invalidField('weights', 'too_small', 'must rise');
  if ((weights.at(-1) ?? 0) > MAX_GRAMS) throw invalidField('weights', 'too_large', `must be at most ${MAX_GRAMS}`);
}

const MAX_GRAMS = 30_000;

async function waitFor(db: Db, accountId: string, key: string, wanted: TableWanted): Promise<Date> {
  const { rows } = await sql<{ count: number; now: Date }>`
    select count(*)::integer as count, now() as now from rate_tables
    where account_id = ${accountId} and made_at is null`.execute(db);
  const [{ count = 0, now = new Date() } = {}] = rows;
  if (count >= MAX_WAITING)
    throw new ServiceError('RATE_LIMITED', 'tables_in_flight', 'Tables of this account are waiting to be made.');
  await db
    .insertInto('rate_tables')
    .values(
      row<'rate_tables'>({
        key,
        account_id: accountId,
        pickup_postal_code: wanted.pickupPostalCode,
        service: wanted.service,
        weights: wanted.weights.join(),
        file: null,
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return now;
}

/** The facts in force for an account's table, and the key that they give. */
async function factsOf(db: Db, accountId: string, { pickupPostalCode, service, weights }: TableWanted) {
  const { card, areas, calendar } = await readAccountFacts(db, accountId, { packages: [] }, {});
  const pickup = pickupOf(pickupPostalCode);
  const collected = verdictAt(areas, pickup);
  const refusal = refusalAt(collected, 'pickup', pickup, undefined);
  if (refusal) throw invalidField('pickupPostalCode', refusal.code, refusal.message);
  const isSold = service === 'express' || card.zones?.economyDays !== undefined;
  if (!isSold || !collected.terms.services.includes(service))
    throw invalidField('service', 'not_offered', 'is not offered from there');
  const versions = [card.version, areas?.version ?? null, keptCalendar.known(db)?.version ?? null];
  const key = createHash('sha256')
    .update(JSON.stringify([FORM, ...versions, pickupPostalCode, service, weights]))
    .digest('hex');
  const facts: Omit<TableFacts, 'now'> = { card, areas, calendar, pickup, service, weights };
  return { key, facts };
}

function pickupOf(postalCode: string): Place {
  const located = embeddedGeocoder.read(postalCode);
  if (located?.ok) return located.place;
  throw invalidField('pickupPostalCode', 'not_placed', located?.message ?? 'The place cannot be found.');
}

const LEASE = 'rate_tables';
const LEASE_MS = 120_000;
const PAUSE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 30_000;
const KEPT_DAYS = 30;
const SWEEP_MS = 3_600_000;

/** Makes the tables that accounts wait for, and deletes those that nobody uses. Call the returned function to stop. */
export function startRateTables({ db, log }: { db: Db; log: Logger }): () => Promise<void> {
  const lease = { name: LEASE, holder: newId() };
  let sweepAt = 0;
  return inBackground(async (signal) => {
    try {
      for (let next = await nextWaiting(db); next && !signal.aborted; next = await nextWaiting(db)) {
        if (!(await holdLease(db, lease, LEASE_MS)).isMine) break;
        await makeWaiting(db, next, log);
        await releaseLease(db, lease);
      }
      if (performance.now() >= sweepAt) {
        await forgetUnused(db);
        sweepAt = performance.now() + SWEEP_MS;
      }
      return PAUSE_MS;
    } catch (err) {
      log.warn({ err }, 'rate_table.not_made');
      return PAUSE_AFTER_FAILURE_MS;
    }
  }, PAUSE_MS);
}

const forgetUnused = (db: Db): Promise<number> =>
  deleteInChunks(db, 'rate_tables', 'used_at', sql`used_at < now() - make_interval(days => ${KEPT_DAYS})`);

interface WaitingTable {
  key: string;
  account_id: string;
  pickup_postal_code: string;
  service: Service;
  weights: string;
}

const nextWaiting = (db: Db): Promise<WaitingTable | undefined> =>
  db
    .selectFrom('rate_tables')
    .select(['key', 'account_id', 'pickup_postal_code', 'service', 'weights'])
    .where('made_at', 'is', null)
    .orderBy('asked_at')
    .orderBy('key')
    .limit(1)
    .executeTakeFirst();

async function makeWaiting(db: Db, waiting: WaitingTable, log: Logger): Promise<void> {
  const { key, account_id: accountId, pickup_postal_code: pickupPostalCode, service } = waiting;
  const weights = waiting.weights.split(',').map(Number);
  try {
    const now = await factsOf(db, accountId, { pickupPostalCode, service, weights });
    if (now.key === key) return await makeTable(db, key, { ...now.facts, now: new Date() });
  } catch (err) {
    log.error({ err, key }, 'rate_table.failed');
  }
  await db.deleteFrom('rate_tables').where('key', '=', key).execute();
}

async function makeTable(db: Db, key: string, facts: TableFacts): Promise<void> {
  const rows = await inSlices('rate tables', tableRows(facts));
  const packed = rows.map(({ from, to, workdays, prices }) => [from, to, workdays, ...prices]);
  const file = await promisify(gzip)(JSON.stringify({ weights: facts.weights, rows: packed }));
  await db.updateTable('rate_tables').set({ file, made_at: sql<Date>`now()` }).where('key', '=', key).execute();
}
