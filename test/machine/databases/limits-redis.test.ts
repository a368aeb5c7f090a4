import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLog } from '../../../src/base/telemetry/log.js';
import { WINDOW_MS } from '../../../src/http/limits/rate-limit.js';
import { sharedCounters } from '../../../src/http/limits/redis-link.js';
import { notesApp } from '../../contract/http-notes-app.js';
import { listening } from '../../support/port.js';
import { waitFor } from '../../support/receiver.js';
import { type RedisServer, redisServer } from '../../support/redis.js';
import { describeWith } from '../../support/tools.js';

type Replica = Awaited<ReturnType<typeof replica>>;

// Long enough for a busy machine. lab/faults measures the wait with the default timeout.
const TIMEOUT_MS = 2_000;

async function replica(redis: RedisServer, publicPerHour: number) {
  /** Messages of the log lines about Redis. */
  const messages: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void messages.push(JSON.parse(line).msg) } });
  const counters = sharedCounters({ url: redis.url, timeoutMs: TIMEOUT_MS }, WINDOW_MS, log);
  const { app } = notesApp({ limits: { publicPerHour, storeFor: counters.storeFor } });
  await counters.start();
  const server = createServer(app);
  const url = `http://127.0.0.1:${await listening(server)}/ping`;
  const ping = async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    const remaining = Number(answer.headers.get('x-ratelimit-remaining'));
    return { status: answer.status, remaining };
  };
  return { counters, server, ping, messages };
}

const NOT_ANSWERING = 'rate_limits.redis_lost';
const COUNTED_IN_REDIS = 'rate_limits.redis_used';
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describeWith('redis', 'limits over Redis', (path) => {
  let redis: RedisServer;
  let open: Replica[] = [];

  beforeAll(async () => {
    redis = await redisServer(path);
  });
  afterAll(() => redis.kill());
  beforeEach(async () => {
    await redis.kill();
    await redis.start();
  });
  afterEach(async () => {
    for (const { counters, server } of open) {
      await counters.stop();
      server.closeAllConnections();
      server.close();
    }
    open = [];
  });

  async function replicas(count: number, publicPerHour: number): Promise<Replica[]> {
    for (const _ of times(count)) open.push(await replica(redis, publicPerHour));
    return open;
  }

  test('exactly 1 000 of 1 200 requests over two replicas pass, and Remaining falls with each', async () => {
    const [a, b] = await replicas(2, 1000);
    if (!a || !b) throw new Error('two replicas are needed');
    const first = [await a.ping(), await b.ping(), await b.ping(), await a.ping()];
    expect(first.map(({ remaining }) => remaining)).toEqual([999, 998, 997, 996]);
    const answers = [];
    for (const _ of times(26)) {
      answers.push(...(await Promise.all(times(46).map((index) => (index % 2 ? a : b).ping()))));
    }
    const passed = answers.filter(({ status }) => status === 200).map(({ remaining }) => remaining);
    expect(passed.sort((x, y) => y - x)).toEqual(times(996).map((index) => 995 - index));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(200);
    expect([a.messages, b.messages]).toEqual([[COUNTED_IN_REDIS], [COUNTED_IN_REDIS]]);
  });

  test('while Redis is frozen no request fails, and requests are still counted', async () => {
    const [a] = await replicas(1, 1000);
    if (!a) throw new Error('a replica is needed');
    const { remaining } = await a.ping();
    redis.freeze();
    const frozen = [];
    for (const _ of times(120)) frozen.push(await a.ping());
    redis.thaw();
    expect(frozen.every(({ status }) => status === 200)).toBe(true);
    expect(frozen.map((each) => each.remaining)).toEqual(times(120).map((index) => remaining - 1 - index));
    await waitFor(() => a.messages.length === 3, 'Redis to answer');
    expect(a.messages).toEqual([COUNTED_IN_REDIS, NOT_ANSWERING, COUNTED_IN_REDIS]);
    expect((await a.ping()).status).toBe(200);
  });

  test('replicas without Redis share the limit, and continue from the last common count', async () => {
    const [a, b] = await replicas(2, 20);
    if (!a || !b) throw new Error('two replicas are needed');
    // After two pulses each replica knows the other.
    await sleep(3000);
    for (const _ of times(5)) await Promise.all([a.ping(), b.ping()]);
    await redis.kill();
    const alone = await Promise.all([...times(10).map(() => a.ping()), ...times(10).map(() => b.ping())]);
    expect(alone.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(11);
    expect(alone.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
    await redis.start();
    await waitFor(() => a.messages.length === 3 && b.messages.length === 3, 'Redis to answer both again');
    expect([a.messages, b.messages]).toEqual([
      [COUNTED_IN_REDIS, NOT_ANSWERING, COUNTED_IN_REDIS],
      [COUNTED_IN_REDIS, NOT_ANSWERING, COUNTED_IN_REDIS],
    ]);
  });

  test('a missing Redis at the start changes only where requests are counted', async () => {
    await redis.kill();
    const [a] = await replicas(1, 2);
    if (!a) throw new Error('a replica is needed');
    const answers = [await a.ping(), await a.ping(), await a.ping()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    await redis.start();
    await waitFor(() => a.messages.length === 2, 'Redis to answer');
    expect(a.messages).toEqual([NOT_ANSWERING, COUNTED_IN_REDIS]);
    expect((await a.ping()).remaining).toBe(1);
  });
});
