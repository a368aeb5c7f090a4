import { sql } from 'kysely';

export interface Floors {
  now(): FloorsNow;
}

/** The floors before a statement, which then learn from its rows. */
export interface FloorsNow {
  /** After a failover that lost notifications, another server may give out their ids again. */
  server: string;
  /** No notification of the lane has a smaller id, and none will. */
  of(laneId: number): number;
  /** Learns the waiting notifications of these lanes, of each lane the oldest first. */
  read(laneIds: readonly number[], notifications: readonly { laneId: number; id: string }[]): void;
  /** Learns the moment of the statement that froze the deliveries. */
  froze(moment: Moment): void;
}

/** A statement that wrote: its server, its transaction, and the oldest transaction that ran when it began. */
export interface Moment {
  server: string;
  transaction: number;
  oldest: number;
}

// Differs for another server, and for the same one after a restart.
const thisServer = sql`extract(epoch from pg_postmaster_start_time())::text`;

export const thisMoment = sql`${thisServer} as server, pg_current_xact_id()::text::float8 as transaction,
  pg_snapshot_xmin(pg_current_snapshot())::text::float8 as oldest`;

export const floorOf = ({ server }: FloorsNow, column: 'lane.floor' | 'owned.floor') =>
  sql`case ${thisServer} when ${server} then ${sql.ref(column)} else 0 end`;

const MAX_LANES = 20_000;

/**
 * A lane is read from its floor on only: delivered notifications stay in the index while any snapshot is held. Below
 * the floor there is nothing that was committed when the lane was read last, and nothing that was still to be
 * committed. The ids of transactions tell the latter: a transaction has its own before it takes those of its
 * notifications (queue/enqueue.ts). So each transaction that took an id up to the newest one read precedes every
 * transaction that begins afterwards. Once all that precede have ended, nothing with such an id is still to come.
 * Model: Floors!LearnFreeze (lab/models)
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
        // A lane in which nothing seems to wait is read from its beginning next time.
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
  /** By lane; the lane that was read longest ago is the first. */
  floors: new Map<number, number>(),
  newestId: 0,
  /** Every transaction that took an id up to this has ended. */
  settledId: 0,
  /** Every transaction that took an id up to `id` came before `before`; nothing precedes the beginning. */
  unsettled: { id: 0, before: 0 },
});
