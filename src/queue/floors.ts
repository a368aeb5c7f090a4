import { sql } from 'kysely';

export interface Floors {
  now(): FloorsNow;
}

/** The floors as a statement uses them. The rows of the statement then raise them. */
export interface FloorsNow {
  /**
   * The server that gave out the ids. After a failover that lost notifications, another server may give out the same
   * ids again.
   */
  server: string;
  /** The floor of a lane: it has no notification with a smaller id, and never will. */
  of(laneId: number): number;
  /** Learns from the waiting notifications of these lanes. Per lane, the oldest comes first. */
  read(laneIds: readonly number[], notifications: readonly { laneId: number; id: string }[]): void;
  /** Learns from the moment of the statement that froze the deliveries. */
  froze(moment: Moment): void;
}

/**
 * The moment of a writing statement: its server, its transaction, and the oldest transaction that was running at its
 * start.
 */
export interface Moment {
  server: string;
  transaction: number;
  oldest: number;
}

// Identifies a server between two restarts.
const thisServer = sql`extract(epoch from pg_postmaster_start_time())::text`;

export const thisMoment = sql`${thisServer} as server, pg_current_xact_id()::text::float8 as transaction,
  pg_snapshot_xmin(pg_current_snapshot())::text::float8 as oldest`;

export const floorOf = ({ server }: FloorsNow, column: 'lane.floor' | 'owned.floor') =>
  sql`case ${thisServer} when ${server} then ${sql.ref(column)} else 0 end`;

const MAX_LANES = 20_000;

/**
 * Keeps the floor of each lane. A lane is read only from its floor on, because delivered notifications stay in the
 * index while any snapshot is held. Below the floor, nothing was committed at the last read, and nothing remained to be
 * committed. The ids of transactions show the latter: a transaction has its own id before it takes ids for its
 * notifications (queue/enqueue.ts). So a transaction that took an id up to the newest one read comes before every
 * transaction that begins later. Once all of these have ended, no such id can still come. Model: Floors!LearnFreeze
 * (lab/models)
 */
export function createFloors(): Floors {
  let era = newEra('');
  const now = (): FloorsNow => {
    const own = era;
    const { server, floors, settledId, newestId } = own;
    return {
      server,
      of: (laneId: number): number => floors.get(laneId) ?? 0,
      read: (laneIds: readonly number[], notifications: readonly { laneId: number; id: string }[]): void => {
        // A lane that seems empty is read from its beginning next time.
        for (const laneId of laneIds) floors.delete(laneId);
        for (const { laneId, id } of notifications) {
          own.newestId = Math.max(own.newestId, Number(id));
          if (!floors.has(laneId)) floors.set(laneId, Math.min(Number(id), settledId + 1));
        }
        for (const laneId of floors.keys()) {
          if (floors.size <= MAX_LANES) break;
          floors.delete(laneId);
        }
      },
      froze: (moment: Moment): void => {
        if (moment.server !== era.server) era = newEra(moment.server);
        if (era !== own) return;
        const { unsettled } = era;
        if (moment.oldest < unsettled.before) return;
        era.settledId = unsettled.id;
        era.unsettled = { id: newestId, before: moment.transaction };
      },
    };
  };
  return { now };
}

const newEra = (server: string) => ({
  server,
  /** Floors by lane. The lane that was read longest ago comes first. */
  floors: new Map<number, number>(),
  newestId: 0,
  /** Every transaction that took an id up to this one has ended. */
  settledId: 0,
  /** Every transaction that took an id up to `id` has a transaction id below `before`. At first there is none. */
  unsettled: { id: 0, before: 0 },
});
