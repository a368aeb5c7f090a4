import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { transaction } from '../../../src/db/transaction.js';
import { quantile, spread } from '../../../test/support/figures.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, judge } from '../../../test/support/processes/judgement.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { drained } from '../../../test/support/queue.js';
import type { TopologyFault } from './fault.js';
import { startLoad } from './load.js';
import { outages } from './outage.js';
import { PATH, settle, type Topology } from './topology.js';

const LOCKED_MS = 10_000;
const PRODUCT_CLIENTS = 16;
const TIMES = 1.5;
const NOISE_MS = 50;
const REFUSED_MS = 1_500;

/** Clients that list products until they are stopped; resolves to how long each answer took, by its status. */
function startListing(url: string, token: string) {
  const answers: { status: number; ms: number }[] = [];
  let isStopped = false;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const sent = performance.now();
      const { status } = await ask(url, 'GET', '/api/v1/products', { token }).catch(() => ({ status: 0 }));
      answers.push({ status, ms: performance.now() - sent });
      await sleep(20);
    }
  };
  const running = Array.from({ length: PRODUCT_CLIENTS }, client);
  return async () => {
    isStopped = true;
    await Promise.all(running);
    return answers;
  };
}

export const lockedTable: TopologyFault = {
  what: `a DBA holds "lock table products" for ${LOCKED_MS / 1_000} s while ${PRODUCT_CLIENTS} clients list products, beside the load`,
  promise: `products: 503 soon; other tables' requests wait at most ${TIMES} times as long, none fails`,
  run: async (topology) => {
    const { stage, url, customer } = topology;
    const token = await accessToken(url, customer);
    const load = await startLoad(url, customer, PATH);
    const waited = async (from: number, to = load.waits.length) =>
      quantile(
        load.waits.slice(from, to).map(({ ms }) => ms),
        0.95,
      );
    await sleep(3_000);
    const from = load.waits.length;
    const beside = startListing(url, token);
    await sleep(LOCKED_MS);
    const listed = await beside();
    const before = await waited(from);
    const lockedFrom = load.waits.length;
    const refused = await transaction(stage.db, async (trx) => {
      await sql`lock table products`.execute(trx);
      const stop = startListing(url, token);
      await sleep(LOCKED_MS);
      return stop();
    });
    const during = await waited(lockedFrom);
    const finding = await settle(topology, load);
    const strange = [...new Set(refused.map(({ status }) => status))].filter((status) => status !== 503);
    const slowest = quantile(
      refused.map(({ ms }) => ms),
      0.99,
    );
    return {
      figures: `others' p95 ${during.toFixed(0)} ms, without the lock ${before.toFixed(0)} ms; ${listed.length} lists without it, ${refused.length} refused with it, 99 of 100 within ${slowest.toFixed(0)} ms; ${finding.figures}`,
      breaches: [
        ...finding.breaches,
        ...expectThat(load.others.size === 0, 'requests for other tables failed'),
        ...expectThat(
          during <= Math.max(TIMES * before, before + NOISE_MS),
          `others waited ${(during / before).toFixed(1)} times as long`,
        ),
        ...expectThat(strange.length === 0, `lists of products were answered ${strange.join()}`),
        ...expectThat(slowest <= REFUSED_MS, `refusals took ${slowest.toFixed(0)} ms`),
      ],
    };
  },
};

const ENDPOINTS = 30;
const PACKAGES = 100;
const MOVES = 1;
const ROUNDS = 3;
const LEAST_SHARE = 0.8;

export const heldSnapshot: TopologyFault = {
  what: 'a snapshot (repeatable read, as pg_dump has it) held beside the queue',
  promise: `notifications are delivered at least ${LEAST_SHARE} × as fast, nothing is lost`,
  run: async ({ stage, receiver }) => {
    const traffic = newTraffic(stage.db);
    const endpoints = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS, packages: PACKAGES });
    // The topology's own customer has an endpoint too, and no packages here.
    const world = endpoints.filter(({ keys }) => keys.length > 0);
    /** Notifications a second, from their commits on. */
    const round = async (): Promise<number> => {
      const [started, before] = [performance.now(), traffic.committed.length];
      for (let number = 0; number < MOVES * PACKAGES; number += 1) await traffic.move(world, number);
      await drained(stage.db, 120_000);
      return ((traffic.committed.length - before) * 1_000) / (performance.now() - started);
    };
    const rounds = async (): Promise<number[]> => {
      const speeds: number[] = [];
      for (let left = ROUNDS; left > 0; left -= 1) speeds.push(await round());
      return speeds;
    };
    await round();
    const without = await rounds();
    const held = await holdSnapshot(stage.databaseUrl);
    const beside = await rounds();
    await held.end();
    // What has piled up meanwhile is judged by the last round, against the usual one.
    const [usual, last] = [spread(without).median, spread(beside.slice(-2)).median];
    const judgement = judge(traffic.committed, receiver.arrivals);
    const list = (speeds: number[]) => speeds.map((speed) => speed.toFixed(0)).join(', ');
    return {
      figures: `notifications/s without ${list(without)}; beside ${list(beside)}: ${(last / usual).toFixed(2)} ×; lost ${judgement.lost}`,
      breaches: [
        ...breachesOf(judgement),
        ...expectThat(last >= LEAST_SHARE * usual, `the speed fell to ${(last / usual).toFixed(2)} × the usual one`),
      ],
    };
  },
};

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

const USED_UP_MS = 6_000;
const BACK_MS = 3_000;

/** Takes every connection that PostgreSQL has for others than superusers, and those of the service too. */
async function useUp({ cluster, stage }: Topology): Promise<() => Promise<void>> {
  const clients: pg.Client[] = [];
  const url = stage.databaseUrl;
  const open = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    );
    if (isOpen) clients.push(client);
    return isOpen;
  };
  while (await open());
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  let ended = 0;
  for (const end = performance.now() + USED_UP_MS; performance.now() < end; ) {
    const { rows } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'malote' and pid <> all($1)`,
      [clients.map((client) => Reflect.get(client, 'processID'))],
    );
    ended += rows.length;
    for (const _ of rows) await open();
    await sleep(50);
  }
  await admin.end();
  if (ended === 0) throw new Error('the service had no connection that could be taken');
  return async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  };
}

export const usedUpConnections: TopologyFault = {
  what: `all connections of PostgreSQL used up by others for ${USED_UP_MS / 1_000} s, twice`,
  promise: `nothing acknowledged is lost, only 503 meanwhile, back ≤ ${BACK_MS / 1_000} s after they are given back`,
  run: (topology) =>
    outages({ topology, times: 2, mostMs: BACK_MS, answers: /^. (409|503)$/ }, async () => {
      const giveBack = await useUp(topology);
      await giveBack();
      return performance.now();
    }),
};
