import pg from 'pg';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, judge } from '../../../test/support/processes/judgement.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { drained, queueEntriesRead } from '../../../test/support/queue.js';
import { spread } from '../../figures.js';
import type { TopologyFault } from './fault.js';

const ENDPOINTS = 30;
/**
 * The packages of each endpoint that a round moves. Each moves once, because a package does not move again within
 * seconds.
 */
const MOVES = 150;
const ROUNDS = 8;
const MIN_SHARE = 0.8;
/** The factor by which an old snapshot may raise the index entries read per notification. */
const MAX_READS = 3;

export const heldSnapshot: TopologyFault = {
  what: 'a snapshot (repeatable read, as pg_dump has it) and an idle replication slot held beside the queue',
  promise: `notifications are delivered at least ${MIN_SHARE} × as fast, each for at most ${MAX_READS} × the entries read of the queue's index, nothing is lost`,
  run: async ({ cluster, stage, receiver }) => {
    const traffic = newTraffic(stage.db);
    const packages = MOVES * (1 + 2 * ROUNDS);
    const endpoints = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS, packages });
    // The topology's own customer also has an endpoint, but no packages here.
    const world = endpoints.filter(({ keys }) => keys.length > 0);
    let moved = 0;
    const round = async () => {
      const [started, before, readBefore] = [
        performance.now(),
        traffic.committed.length,
        await queueEntriesRead(stage.db),
      ];
      for (const end = moved + MOVES; moved < end; moved += 1) await traffic.move(world, moved);
      await drained(stage.db, 120_000);
      const notifications = traffic.committed.length - before;
      return {
        /** Notifications per second from their commits. */
        speed: (notifications * 1_000) / (performance.now() - started),
        /** Index entries of the queue read per notification. */
        reads: ((await queueEntriesRead(stage.db)) - readBefore) / notifications,
      };
    };
    const rounds = async () => {
      const all: Awaited<ReturnType<typeof round>>[] = [];
      for (let left = ROUNDS; left > 0; left -= 1) all.push(await round());
      return all;
    };
    await round();
    const without = await rounds();
    const held = await holdSnapshot(stage.databaseUrl);
    const slot = await openIdleSlot(cluster.adminUrl);
    const from = performance.now();
    const beside = await rounds();
    const heldMs = performance.now() - from;
    const isSlotKept = await slot.end();
    await held.end();
    // Compares the last rounds, which show the effect of dead rows, with the usual round.
    const last = beside.slice(-ROUNDS / 2);
    const share = medianOf(last, 'speed') / medianOf(without, 'speed');
    const reads = medianOf(last, 'reads') / medianOf(without, 'reads');
    const judgement = judge(traffic.committed, receiver.arrivals);
    const list = (all: typeof beside) => all.map(({ speed }) => speed.toFixed(0)).join(', ');
    return {
      figures: `notifications/s without ${list(without)}; beside ${list(beside)}: ${share.toFixed(2)} ×, held ${(heldMs / 1_000).toFixed(0)} s; entries read for one ${medianOf(without, 'reads').toFixed(1)} and ${medianOf(last, 'reads').toFixed(1)}; the slot ${isSlotKept ? 'still there' : 'removed by Patroni'}; lost ${judgement.lost}`,
      breaches: [
        ...breachesOf(judgement),
        ...expectThat(share >= MIN_SHARE, `the speed fell to ${share.toFixed(2)} × the usual one`),
        ...expectThat(reads <= MAX_READS, `${reads.toFixed(1)} × as many entries were read`),
      ],
    };
  },
};

const medianOf = <K extends string>(rounds: readonly Record<K, number>[], figure: K): number =>
  spread(rounds.map((round) => round[figure])).median;

async function holdSnapshot(url: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set idle_in_transaction_session_timeout = 0');
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from orders');
  return {
    end: async () => {
      await client.query('rollback');
      await client.end();
    },
  };
}

/** A replication slot without a reader. `end` resolves to true if the slot was still there. */
async function openIdleSlot(adminUrl: string): Promise<{ end(): Promise<boolean> }> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`select pg_create_physical_replication_slot('idle', true)`);
  return {
    end: async () => {
      const { rowCount } = await admin.query(
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'idle'`,
      );
      await admin.end();
      return rowCount === 1;
    },
  };
}
