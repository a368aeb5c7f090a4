import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { type Instant, instant } from './instant.js';
import {
  type ActionRequired,
  type Facts,
  type Location,
  type MovementFacts,
  type PickupAgency,
  toFacts,
} from './movement.js';

/** A status that a package was in, as the tracking payload tells it (contracts/tracking-webhook.schema.json). */
export interface StatusRecord {
  code: number;
  highLevelStatus: string;
  description: string;
  updatedTime: Instant;
  actionRequired: ActionRequired | null;
  pickupAgency?: PickupAgency;
}

export interface TrackingEvent {
  status: StatusRecord;
  location: Location | null;
}

/** What is known of a package once its movement `seq` is recorded. */
export interface TrackingRecord extends TrackingEvent {
  loggiKey: string;
  seq: number;
  trackingCode: string;
  barcode: string;
  promisedDate: string;
  /** When the movement `seq` was recorded. */
  requestTime: Instant;
  /** The earlier statuses, newest first. */
  trackingHistory: TrackingEvent[];
}

export interface Wanted {
  loggiKey: string;
  seq: number;
}

interface MovementRow extends MovementFacts {
  code: number;
  name: string;
  description: string;
  happened_at: Instant;
}

interface WantedRow extends Omit<TrackingRecord, keyof TrackingEvent | 'trackingHistory'> {
  movements: MovementRow[];
}

/** The schema's bound on the history, and the current status. */
const mostMovements = 1001;

/**
 * Packages as of their movement `seq`: later ones are left out, so that a record comes out the same whenever it is read.
 * One statement; the records are in the order wanted, a package or movement that does not exist is left out.
 */
export async function trackingRecords(db: Db, wanted: readonly Wanted[]): Promise<TrackingRecord[]> {
  const keys = wanted.map(({ loggiKey }) => loggiKey);
  const seqs = wanted.map(({ seq }) => seq);
  const { rows } = await sql<WantedRow>`
    select
      w.loggi_key as "loggiKey", w.seq, p.tracking_code as "trackingCode", p.barcode,
      p.promised_date as "promisedDate", ${instant(sql`r.recorded_at`)} as "requestTime", movements
    from unnest(${keys}::uuid[], ${seqs}::integer[]) with ordinality as w(loggi_key, seq, place)
    join packages p using (loggi_key)
    join movements r on r.loggi_key = w.loggi_key and r.seq = w.seq
    cross join lateral (
      select json_agg(latest) as movements
      from (
        select
          s.code, s.name, s.description, ${instant(sql`m.happened_at`)} as happened_at,
          m.city as moved_city, m.state as moved_state, m.reason_label, m.reason_description,
          m.agency_address, m.agency_city, m.agency_state, m.agency_postal_code
        from movements m join package_statuses s on s.code = m.status_code
        where m.loggi_key = w.loggi_key and m.seq <= w.seq
        order by m.happened_at desc, m.seq desc
        limit ${mostMovements}) latest) history
    order by w.place`.execute(db);
  return rows.flatMap(toRecord);
}

function toRecord({ movements, ...row }: WantedRow): TrackingRecord[] {
  const [current, ...trackingHistory] = movements.map(toEvent);
  if (!current) return [];
  // A movement need not say where it happened: the package is still where it was seen last.
  const location = current.location ?? trackingHistory.find((event) => event.location)?.location ?? null;
  return [{ ...row, status: current.status, location, trackingHistory }];
}

function toEvent({ code, name, description, happened_at: updatedTime, ...row }: MovementRow): TrackingEvent {
  const { location, actionRequired, pickupAgency }: Facts = toFacts(row);
  const agency = pickupAgency ? { pickupAgency } : {};
  return { status: { code, highLevelStatus: name, description, updatedTime, actionRequired, ...agency }, location };
}
