import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../../src/db/connect.js';
import { transaction } from '../../../src/db/transaction.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { quantile } from '../../figures.js';
import type { TopologyFault } from './fault.js';
import { startLoad } from './load.js';
import { outages } from './outage.js';
import { CONNECT_MS, PATH, serviceNames, settleLoad, type Topology } from './topology.js';

const LOCKED_MS = 10_000;
const PRODUCT_CLIENTS = 16;
const TIMES = 1.5;
const NOISE_MS = 50;
/**
 * The longest time to a refusal by one process and then by a second. Each waits for a connection (longer here than by
 * default) and half a second for the lock.
 */
const REFUSED_MS = 2 * (CONNECT_MS + 500);

/** An account may wait with one connection of each process. */
const apiProcesses = serviceNames.filter((name) => name.startsWith('api')).length;

/** Clients that list products until they are stopped. Resolves to the time of each answer, by status. */
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

/** Counts connections that wait for a table until it is stopped. Resolves to the median count. */
function startCounting(db: Db) {
  const counts: number[] = [];
  let isStopped = false;
  const looks = async (): Promise<void> => {
    while (!isStopped) {
      const { rows } = await sql`select from pg_stat_activity where wait_event = 'relation'`.execute(db);
      counts.push(rows.length);
      await sleep(250);
    }
  };
  const running = looks();
  return async () => {
    isStopped = true;
    await running;
    return quantile(counts, 0.5);
  };
}

export const lockedTable: TopologyFault = {
  what: `a DBA holds "lock table products" for ${LOCKED_MS / 1_000} s while ${PRODUCT_CLIENTS} clients list products, beside the load`,
  promise: `products: 503 within ${REFUSED_MS / 1_000} s; other tables' requests wait at most ${TIMES} times as long, none fails; an account waits for the lock with a connection of each process`,
  run: async (topology) => {
    const { stage, url, customer } = topology;
    const token = await accessToken(url, customer);
    const load = await startLoad(url, customer, PATH);
    /** The waits of other requests during `work`. */
    const meanwhile = async <T>(work: () => Promise<T>) => {
      const from = load.waits.length;
      const result = await work();
      const waits = load.waits.slice(from).map(({ ms }) => ms);
      return { result, p95: quantile(waits, 0.95) };
    };
    const list = async () => {
      const stop = startListing(url, token);
      await sleep(LOCKED_MS);
      return stop();
    };
    const underLock = () =>
      transaction(stage.db, async (trx) => {
        await sql`lock table products`.execute(trx);
        const stop = startCounting(stage.db);
        const refused = await list();
        return { refused, waiting: await stop() };
      });
    await sleep(3_000);
    const before = await meanwhile(list);
    const during = await meanwhile(underLock);
    const after = await meanwhile(list);
    const { refused, waiting } = during.result;
    const usual = Math.max(before.p95, after.p95);
    const finding = await settleLoad(topology, load);
    const strange = [...new Set(refused.map(({ status }) => status))].filter((status) => status !== 503);
    const slowest = quantile(
      refused.map(({ ms }) => ms),
      0.99,
    );
    return {
      figures: `others' p95 ${during.p95.toFixed(0)} ms, without the lock ${before.p95.toFixed(0)} and ${after.p95.toFixed(0)} ms; ${before.result.length} and ${after.result.length} lists without it, ${refused.length} refused with it, 99 of 100 within ${slowest.toFixed(0)} ms, mostly ${waiting} connections waiting for it; ${finding.figures}`,
      breaches: [
        ...finding.breaches,
        ...expectThat(load.others.size === 0, 'requests for other tables failed'),
        ...expectThat(
          during.p95 <= Math.max(TIMES * usual, usual + NOISE_MS),
          `others waited ${(during.p95 / usual).toFixed(1)} times as long`,
        ),
        ...expectThat(waiting <= apiProcesses, `${waiting} connections waited for the lock`),
        ...expectThat(strange.length === 0, `lists of products were answered ${strange.join()}`),
        ...expectThat(slowest <= REFUSED_MS, `refusals took ${slowest.toFixed(0)} ms`),
      ],
    };
  },
};

const USED_UP_MS = 6_000;
const BACK_MS = 3_000;

/** Takes every connection that PostgreSQL gives to ordinary roles, including those of the service. */
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
    outages({ topology, times: 2, maxMs: BACK_MS, answers: /^. (409|503)$/, afterwards: true }, async () => {
      const giveBack = await useUp(topology);
      await giveBack();
    }),
};
