import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import { mergeMetrics } from '../../../src/processes/metrics.js';
import { processesOf } from '../../../src/processes/run.js';
import { createSilence } from '../../../src/processes/silence.js';
import { createMetrics } from '../../../src/webhook/metrics.js';
import { orderBody } from '../../support/bodies.js';
import { ownFolder } from '../../support/folder.js';
import { accessToken, ask } from '../../support/http.js';
import { type Child, fromSource, startChild } from '../../support/processes/child.js';
import { newCustomer } from '../../support/processes/orders.js';
import {
  countTogether,
  endedBy,
  isRunning,
  killOne,
  killSupervised,
  probesOf,
  startedBy,
} from '../../support/processes/supervised.js';
import { randomFrom } from '../../support/random.js';
import { waitFor } from '../../support/receiver.js';
import { stage, stageForEach } from './stage-for-each.js';

const dataDir = await ownFolder();
stageForEach();

const promiseKept = { breaches: [] };
const two = { PROCESSES: '2', LOG_LEVEL: 'info' };

async function startTwo(program: 'api --no-sender' | 'worker'): Promise<Child> {
  const supervisor = await stage.start(program, [], two);
  await waitFor(() => startedBy(supervisor).length === 2, 'two processes');
  return supervisor;
}

const gone = (pids: readonly number[]) => waitFor(() => !pids.some(isRunning), `the end of ${pids.join(', ')}`);

test('by itself a service takes all cores but one, and parts of it take one', () => {
  const auto = { processes: 'auto' } as const;
  expect([1, 2, 3, 4, 64].map((cores) => processesOf(auto, {}, cores))).toEqual([1, 1, 2, 3, 8]);
  expect([processesOf(auto, { worker: false }, 8), processesOf(auto, { api: false }, 8)]).toEqual([1, 1]);
  expect(processesOf({ processes: 3 }, { api: false }, 1)).toBe(3);
});

test('counters of several processes are added up and never fall; gauges are those of the processes that answer', async () => {
  const snapshots = await Promise.all(
    [1, 2].map((number) => {
      const registry = new Registry();
      createMetrics(registry).inFlight(number);
      new Counter({ name: 'counted_total', help: 'Counted', registers: [registry] }).inc(number);
      return registry.getMetricsAsJSON();
    }),
  );
  let running: { pid: number; isReady: boolean; metrics: unknown }[] = snapshots.map((metrics, pid) => ({
    pid,
    isReady: true,
    metrics,
  }));
  const merged = mergeMetrics(2, async () => running);
  const figures = async () => {
    const text = await merged.metrics();
    return [/^malote_webhook_in_flight (\d)/m, /^counted_total (\d)/m].map((line) => Number(line.exec(text)?.[1]));
  };
  expect(await figures()).toEqual([3, 3]);
  const [first, ...others] = running;
  if (first) running = [{ ...first, metrics: undefined }, ...others];
  expect(await figures()).toEqual([2, 3]);
  running = others;
  merged.ended(0);
  expect(await figures()).toEqual([2, 3]);
});

test('exactly the limit passes of many requests at once to three processes', async () => {
  expect(await countTogether(stage, 200)).toMatchObject(promiseKept);
});

test('a process that is killed while orders are created is replaced, and nothing that was acknowledged is missing', async () => {
  expect(await killSupervised({ stage, random: randomFrom(1) }, 1)).toMatchObject(promiseKept);
});

test('a process that ends soon after its start is started again after longer and longer pauses', async () => {
  const supervisor = await startTwo('worker');
  const [first = 0] = startedBy(supervisor);
  await killOne(supervisor, first);
  await killOne(supervisor, startedBy(supervisor)[2] ?? 0);
  expect(endedBy(supervisor).map(({ pauseMs }) => pauseMs)).toEqual([100, 200]);
});

async function metricsOf(supervisor: Child): Promise<Map<string, number>> {
  const { text } = await ask(probesOf(supervisor), 'GET', '/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

test('probes and metrics are those of all processes, of which one that hangs is replaced', async () => {
  const supervisor = await startTwo('worker');
  const [first = 0, second = 0] = startedBy(supervisor);
  const ready = async () => (await ask(probesOf(supervisor), 'GET', '/readyz')).status;
  const before = await metricsOf(supervisor);
  expect(before.get('malote_processes_ready')).toBe(2);
  process.kill(first, 'SIGSTOP');
  await waitFor(async () => (await ready()) === 200, 'the other to answer');
  process.kill(second, 'SIGSTOP');
  await waitFor(async () => (await ready()) === 503, 'nobody to answer');
  for (const pid of [first, second]) process.kill(pid, 'SIGCONT');
  await waitFor(async () => (await ready()) === 200, 'both to go on');
  await killOne(supervisor, first);
  const after = await metricsOf(supervisor);
  expect(after.get('malote_process_ends_total')).toBe(1);
  expect(after.get('process_cpu_seconds_total')).toBeGreaterThan(before.get('process_cpu_seconds_total') ?? 0);
  await replacesOneThatHangs(supervisor, second);
});

/** A process that hangs is not ready, is ended and replaced, and a line of the log says so. */
async function replacesOneThatHangs(supervisor: Child, pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const ready = async () => (await metricsOf(supervisor)).get('malote_processes_ready');
  await waitFor(async () => (await ready()) === 1, 'one of two that is ready');
  await waitFor(() => startedBy(supervisor).length === 4, 'a process in the place of the one that hangs');
  expect(endedBy(supervisor).at(-1)).toMatchObject({ pid });
  expect(supervisor.output().match(new RegExp(`"level":"error".*"silent":${pid},`, 'g'))).toHaveLength(1);
  await waitFor(async () => (await ready()) === 2, 'two that are ready');
  expect((await metricsOf(supervisor)).get('malote_processes_wanted')).toBe(2);
}

test('a process hangs that is silent while the supervisor runs, not while nothing ran', () => {
  const silence = createSilence(0);
  silence.started();
  let now = 0;
  const look = () => {
    now += 1_000;
    return silence.hangs(now);
  };
  const looks = (count: number) => Array.from({ length: count }, look);
  expect(looks(14)).not.toContain(true);
  silence.heard();
  expect(looks(12)).not.toContain(true);
  // The machine was suspended for an hour.
  now += 3_600_000;
  expect(looks(2)).toEqual([false, true]);
  const starting = createSilence(0);
  const longer = Array.from({ length: 29 }, (_, count) => starting.hangs(2_000 * (count + 1)));
  expect(longer).not.toContain(true);
});

test('what runs is answered when the service is asked to stop', async () => {
  const customer = await newCustomer(stage, await stage.openReceiver());
  const supervisor = await startTwo('api --no-sender');
  const token = await accessToken(supervisor.url, customer);
  const finish = await Promise.all(Array.from({ length: 6 }, () => beginOrder(supervisor.url, token)));
  void supervisor.signal('SIGTERM');
  await sleep(100);
  const statuses = await Promise.all(finish.map((end) => end()));
  // A busy machine may make an order wait too long for the database: that is an answer too.
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  await gone([supervisor.pid, ...startedBy(supervisor)]);
});

/** Begins to create an order; once a process reads, resolves to what sends the rest and resolves to the status. */
async function beginOrder(url: string, token: string): Promise<() => Promise<number>> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Expect: '100-continue' };
  const order = request(`${url}/api/v1/orders`, { method: 'POST', agent: false, headers });
  order.flushHeaders();
  await once(order, 'continue');
  return async () => {
    order.end(JSON.stringify(orderBody()));
    const [answer]: IncomingMessage[] = await once(order, 'response');
    answer?.resume();
    return answer?.statusCode ?? 0;
  };
}

test('a connection that a killed process had not accepted yet is closed, so that its client can try again', async () => {
  const supervisor = await startTwo('api --no-sender');
  const [first = 0] = startedBy(supervisor);
  process.kill(first, 'SIGSTOP');
  const port = Number(new URL(supervisor.url).port);
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const ends = sockets.map(
    (socket) =>
      new Promise((resolve) => {
        // A reset is followed by the close.
        socket
          .resume()
          .on('error', () => undefined)
          .once('close', resolve);
      }),
  );
  for (const socket of sockets) socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  // The other process answers one of them.
  await Promise.race(ends);
  process.kill(first, 'SIGKILL');
  await Promise.all(ends);
});

test('processes and database end when their supervisor is killed; keys and the first operator are made once', async () => {
  const env = { ...two, HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', DATA_DIR: dataDir };
  const supervisor = await startChild(fromSource('api'), env);
  await waitFor(() => startedBy(supervisor).length === 2, 'two processes');
  const passwords = [...supervisor.output().matchAll(/its password, shown only now (\S+)/g)].map(([, found]) => found);
  expect(passwords).toHaveLength(1);
  const login = { email: 'operator@malote.local', password: passwords[0] ?? '' };
  const token = await accessToken(supervisor.url, login);
  // Each over a connection of its own, so that both processes check the token.
  const headers = { Connection: 'close' };
  for (let time = 0; time < 4; time += 1) {
    expect((await ask(supervisor.url, 'GET', '/api/v1/users/me', { token, headers })).status).toBe(200);
  }
  const postgres = Number((await readFile(join(dataDir, 'postgres/files/postmaster.pid'), 'utf8')).split('\n')[0]);
  const processes = startedBy(supervisor);
  await supervisor.signal('SIGKILL');
  await gone([...processes, postgres]);
});
