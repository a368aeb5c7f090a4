import { sql } from 'kysely';

/** From where on lanes are read, as one worker knows it. */
export interface Floors {
  /** What is known before a statement, which is told what the statement found out. */
  known(): KnownFloors;
}

export interface KnownFloors {
  /** The floors are those of this server only: another may give out ids again, where a failover lost what had them. */
  server: string;
  /** No notification of the lane has a smaller id, and none will. */
  of(laneId: number): number;
  /** What was read of these lanes, of each the oldest first. */
  read(laneIds: readonly number[], notifications: readonly { laneId: number; id: string }[]): void;
  /** When deliveries were frozen. */
  froze(moment: Moment): void;
}

/** When a statement ran that wrote: on which server, as which transaction, and the oldest one that ran when it began. */
export interface Moment {
  server: string;
  transaction: number;
  oldest: number;
}

// Another server, or the same after it was restarted, was started at another time.
const thisServer = sql`extract(epoch from pg_postmaster_start_time())::text`;

export const thisMoment = sql`${thisServer} as server, pg_current_xact_id()::text::float8 as transaction,
  pg_snapshot_xmin(pg_current_snapshot())::text::float8 as oldest`;

export const floorOf = ({ server }: KnownFloors, column: 'lane.floor' | 'owned.floor') =>
  sql`case ${thisServer} when ${server} then ${sql.ref(column)} else 0 end`;

const MOST_LANES = 20_000;

/**
 * What was delivered stays in the index of what waits for as long as anybody holds a snapshot, so a lane is read from its floor on only.
 * Below it is nothing that was committed when the lane was read last, and nothing that was still to be committed then. The latter is
 * known by the transactions' ids, as a transaction has its own before it takes those of its notifications (deliveries/enqueue.ts):
 * whoever took ids up to the newest that was read came before each transaction that begins afterwards, and once all of those before
 * have ended, nothing with such an id is still to come.
 */
export function createFloors(): Floors {
  let era = newEra('');
  const known = (): KnownFloors => {
    const own = era;
    const { server, floors, settledId, newestId } = own;
    return {
      server,
      of: (laneId) => floors.get(laneId) ?? 0,
      read: (laneIds, notifications) => {
        // A lane in which nothing seems to wait is read from its beginning next time.
        for (const laneId of laneIds) floors.delete(laneId);
        for (const { laneId, id } of notifications) {
          own.newestId = Math.max(own.newestId, Number(id));
          if (!floors.has(laneId)) floors.set(laneId, Math.min(Number(id), settledId + 1));
        }
        for (const laneId of floors.keys()) {
          if (floors.size <= MOST_LANES) break;
          floors.delete(laneId);
        }
      },
      froze: (moment) => {
        if (moment.server !== era.server) era = newEra(moment.server);
        if (era !== own) return;
        const { unsettled } = era;
        if (unsettled && moment.oldest < unsettled.before) return;
        if (unsettled) era.settledId = unsettled.id;
        era.unsettled = { id: newestId, before: moment.transaction };
      },
    };
  };
  return { known };
}

/** What is known of one server. */
interface Era {
  server: string;
  /** By lane, that which was read longest ago first. */
  floors: Map<number, number>;
  /** The newest notification that was read. */
  newestId: number;
  /** Every transaction that took an id up to this has ended. */
  settledId: number;
  /** Those that took ids up to `id` came before this transaction. */
  unsettled?: { id: number; before: number };
}

const newEra = (server: string): Era => {
  return { server, floors: new Map(), newestId: 0, settledId: 0 };
};
