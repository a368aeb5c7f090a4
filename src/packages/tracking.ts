import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { partitionFilter } from '../db/near.js';
import type { DeliveryAttempt } from './attempts.js';
import { type CatalogueStatus, REOPENED } from './catalogue.js';
import { type Instant, instantOfJson } from './instant.js';
import {
  type ActionRequired,
  type Facts,
  type Location,
  type MovementFacts,
  type PickupAgency,
  toFacts,
} from './movement.js';

/** A status of a package, as the webhook shows it (contracts/tracking-webhook.schema.json). */
export interface StatusRecord {
  code: number;
  highLevelStatus: string;
  description: string;
  updatedTime: Instant;
  actionRequired: ActionRequired | null;
  pickupAgency?: PickupAgency;
}

export interface TrackingEvent<Status = StatusRecord> {
  status: Status;
  location: Location | null;
  /** Absent if the movement reports none. The webhook does not show it. */
  attempt?: DeliveryAttempt;
}

/** A status with its texts from the catalogue, which the webhook does not show. */
export type CataloguedEvent = TrackingEvent<
  StatusRecord & Pick<CatalogueStatus, 'final' | 'stage' | 'public_title'> & Pick<Facts, 'isReopening'>
>;

/** The state of a package after its movement `seq`. */
export interface TrackingRecord extends TrackingEvent {
  loggiKey: string;
  seq: number;
  trackingCode: string;
  barcode: string;
  promisedDate: string;
  requestTime: Instant;
  /** Newest first. */
  trackingHistory: TrackingEvent[];
}

export interface TrackingKey {
  loggiKey: string;
  seq: number;
}

interface RareFacts extends Omit<MovementFacts, 'moved_city' | 'moved_state' | 'expected_from' | 'expected_to'> {
  /** True if it was a current final status then, and was taken back later. */
  was_current: boolean | null;
}

/** Movements by column, newest first for each package. `places` are the indexes of the packages in the list of keys. */
type History = [
  places: number[] | null,
  codes: number[],
  happenedAt: string[],
  cities: (string | null)[],
  states: (string | null)[],
  rareFacts: (RareFacts | null)[],
];

interface HistoryRow {
  history: History;
  statuses: CatalogueStatus[];
}

interface IdentityRow extends Omit<TrackingRecord, keyof TrackingEvent | 'requestTime' | 'trackingHistory'> {
  place: number;
  recordedAt: string;
}

/** The schema's bound of the history, plus the current status. */
const MAX_MOVEMENTS = 1001;

/**
 * Reads the state of packages after their movement `seq`, so that a record is always the same. Its status is that of
 * the movement that is current now, if that was recorded by then: since then it has been current. Otherwise it is the
 * final status that was taken back since, or the latest one. Records are in the order of the keys; missing packages are
 * left out.
 * Model: Erasure!Read (lab/models)
 */
export async function trackingRecords(db: Db, keys: readonly TrackingKey[]): Promise<TrackingRecord[]> {
  const [packages, events] = await Promise.all([readPackages(db, keys), readEvents(db, keys)]);
  return packages.map((row) => toRecord(row, events.get(row.place) ?? []));
}

/** Reads the statuses of a package up to its movement `seq`: the current one, then the others, newest first. */
export async function trackingEvents(db: Db, key: TrackingKey): Promise<CataloguedEvent[]> {
  const [events = []] = (await readEvents(db, [key])).values();
  return events.slice(0, MAX_MOVEMENTS);
}

// Queries join this by LATERAL … LIMIT, so that no plan reads a whole table.
const unnested = (keys: readonly TrackingKey[]) => sql`
  unnest(${keys.map(({ loggiKey }) => loggiKey)}::uuid[], ${keys.map(({ seq }) => seq)}::integer[])
    with ordinality as w(loggi_key, seq, place)`;

const keysNear = (keys: readonly TrackingKey[]) => partitionFilter(keys.map(({ loggiKey }) => loggiKey))('loggi_key');

async function readPackages(db: Db, keys: readonly TrackingKey[]): Promise<IdentityRow[]> {
  const areNear = keysNear(keys);
  const { rows } = await sql<IdentityRow>`
    select
      place::integer, w.loggi_key as "loggiKey", w.seq, package.*, to_json(recorded_at at time zone 'UTC') as "recordedAt"
    from ${unnested(keys)}
    cross join lateral (
      select tracking_code as "trackingCode", barcode, promised_date as "promisedDate"
      from packages where loggi_key = w.loggi_key and ${areNear} limit 1) package
    cross join lateral (
      select recorded_at from movements
      where loggi_key = w.loggi_key and ${areNear} and seq = w.seq limit 1) recorded
    order by place`.execute(db);
  return rows;
}

/** Reads statuses, the current one first, as one row for all packages. One row per package would take twice as long. */
async function readEvents(db: Db, keys: readonly TrackingKey[]): Promise<Map<number, CataloguedEvent[]>> {
  const areNear = keysNear(keys);
  const { rows } = await sql<HistoryRow>`
    select
      json_build_array(
        array_agg(place), array_agg(status_code), array_agg(happened_at at time zone 'UTC'), array_agg(city),
        array_agg(state), case when count(rare_facts) > 0 then json_agg(rare_facts) else '[]' end) as history,
      (select json_agg(status) from package_statuses status) as statuses
    from ${unnested(keys)}
    cross join lateral (
      select current_movement_id from packages where loggi_key = w.loggi_key and ${areNear} limit 1) package
    cross join lateral (
      (select ${eventColumns} from movements
      where loggi_key = w.loggi_key and ${areNear} and id = current_movement_id and seq <= w.seq limit 1)
      union all
      (select ${eventColumns} from movements
      where loggi_key = w.loggi_key and ${areNear} and seq <= w.seq and id <> current_movement_id
      order by happened_at desc, movements.seq desc
      limit ${MAX_MOVEMENTS})) event`.execute(db);
  return rows[0] ? eventsByPlace(rows[0]) : new Map();
}

const rareFacts = sql`
  case when num_nonnulls(reason_label, reason_description, agency_address, attempt_outcome, reopens, nullif(reopened_by > w.seq, false)) > 0 then json_build_object(
    'reason_label', reason_label, 'reason_description', reason_description, 'agency_address', agency_address,
    'agency_city', agency_city, 'agency_state', agency_state, 'agency_postal_code', agency_postal_code,
    'moved_attempt', attempt_outcome, 'moved_next_on', attempt_next_on,
    'reopens', reopens, 'was_current', reopened_by > w.seq) end`;

const eventColumns = sql`status_code, happened_at, city, state, ${rareFacts} as rare_facts`;

function eventsByPlace({ history, statuses }: HistoryRow): Map<number, CataloguedEvent[]> {
  const catalogue = new Map(statuses.map((status) => [status.code, status]));
  const events = new Map<number, CataloguedEvent[]>();
  const [places, , , , , rareFacts] = history;
  for (const [at, place] of (places ?? []).entries()) {
    const event = eventAt(history, at, catalogue);
    const earlier = events.get(place);
    if (!earlier) events.set(place, [event]);
    else if (rareFacts[at]?.was_current) earlier.unshift(event);
    else earlier.push(event);
  }
  return events;
}

function eventAt(
  [, codes, times, cities, states, facts]: History,
  at: number,
  catalogue: ReadonlyMap<number, CatalogueStatus>,
): CataloguedEvent {
  const entry = catalogue.get(codes[at] ?? 0);
  if (!entry) throw new Error(`the catalogue has no status ${codes[at]}`);
  const { code, name: highLevelStatus, description: usual, final, stage, public_title } = entry;
  const named = { code, highLevelStatus, public_title, final, stage, updatedTime: instantOfJson(times[at] ?? '') };
  const [city, state, rare] = [cities[at] ?? null, states[at] ?? null, facts[at]];
  const location = city !== null && state !== null ? { city, state } : null;
  const noFacts = { description: usual, isReopening: false, actionRequired: null };
  if (!rare) return { status: { ...named, ...noFacts }, location };
  const place = { moved_city: city, moved_state: state };
  const movement = { ...place, ...rare, expected_from: null, expected_to: null };
  const { actionRequired, pickupAgency, attempt, isReopening } = toFacts(movement);
  const description = isReopening ? REOPENED : usual;
  const status = { ...named, description, isReopening, actionRequired, ...(pickupAgency && { pickupAgency }) };
  return { status, location, ...(attempt && { attempt }) };
}

function toRecord({ place: _, recordedAt, ...row }: IdentityRow, [current, ...earlier]: TrackingEvent[]) {
  const trackingHistory = earlier.slice(0, MAX_MOVEMENTS - 1);
  if (!current) throw new Error(`package ${row.loggiKey} has no movement`);
  // A movement may lack a location. Then the package is still at its last known location.
  const location = current.location ?? trackingHistory.find((event) => event.location)?.location ?? null;
  return { ...row, requestTime: instantOfJson(recordedAt), status: current.status, location, trackingHistory };
}
