import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { unknownSettings } from '../../../src/app/unknown-settings.js';
import { orderBody } from '../../support/bodies.js';
import { ownFolder } from '../../support/folder.js';
import { accessToken, ask } from '../../support/http.js';
import { fromSource, probesOf } from '../../support/processes/child.js';
import { newEndpoints } from '../../support/processes/endpoints.js';
import { newCustomer } from '../../support/processes/orders.js';
import { newTraffic } from '../../support/processes/traffic.js';
import { proxyTo } from '../../support/proxy.js';
import { waitFor } from '../../support/receiver.js';
import { stage, stageForEach } from './stage-for-each.js';

const folder = await ownFolder();
stageForEach();

/** Runs a program that is expected to end by itself. */
async function run(program: 'api' | 'worker', args: readonly string[], env = {}) {
  const { PATH, HOME } = process.env;
  const settings = { PATH, HOME, DATA_DIR: folder, PORT: '0', INTERNAL_PORT: '0', ...env };
  const child = spawn(process.execPath, [...fromSource(program), ...args], { env: settings });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, out, err };
}

test('the programs have --help and --version, and refuse an unknown argument in one line', async () => {
  const [typo, excess, help, version] = await Promise.all([
    run('api', ['--no-sendr']),
    run('worker', ['fast']),
    run('worker', ['--help']),
    run('api', ['--version']),
  ]);
  const refused = (reason: RegExp) => ({ code: 2, out: '', err: expect.stringMatching(reason) });
  expect(typo).toEqual(refused(/^malote: unknown option '--no-sendr'[^\n]*\n$/));
  expect(excess).toEqual(refused(/^malote: too many arguments[^\n]*\n$/));
  expect([help.code, help.out]).toEqual([0, expect.stringMatching(/^Usage: npm run worker/)]);
  expect([version.code, version.out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

test('CELL above 0 ends the start with one line that names it; 0 is allowed', async () => {
  const DATABASE_URL = 'postgres://malote:x@127.0.0.1:1/malote';
  const tryOnce = { DATABASE_URL, SINGLE_MACHINE: '1', WAIT_FOR_DATABASE_SECONDS: '0' };
  const [seven, zero] = await Promise.all(['7', '0'].map((CELL) => run('api', [], { ...tryOnce, CELL })));
  expect(seven).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^malote: CELL must be 0 or unset: [^\n]*upgrading[^\n]*\n$/),
  });
  expect(zero?.err).toMatch(/^malote: [^\n]*ECONNREFUSED[^\n]*\n$/);
});

test('a shared database without keys, or an unreachable one, ends the start with one line', async () => {
  const DATABASE_URL = 'postgres://malote:x@127.0.0.1:1/malote';
  const [keyless, alone] = await Promise.all([
    run('worker', [], { DATABASE_URL }),
    run('worker', [], { DATABASE_URL, SINGLE_MACHINE: '1', WAIT_FOR_DATABASE_SECONDS: '1' }),
  ]);
  const without = expect.stringMatching(/^malote: JWT_KEYS, [^\n]* DATABASE_URL[^\n]*\n$/);
  expect(keyless).toMatchObject({ code: 1, err: without });
  expect(alone).toMatchObject({ code: 1, err: expect.stringMatching(/^malote: [^\n]*ECONNREFUSED[^\n]*\n$/) });
  expect(alone.out.match(/database\.waiting/g)).toHaveLength(1);
});

test.each(['0', '1'])(
  'a schema that only later releases can use ends the start with one line: MIGRATE=%s',
  async (MIGRATE) => {
    await sql`
    update schema_migrations set oldest_release = '99.0.0' where oldest_release is not null`.execute(stage.db);
    const { code, err } = await run('worker', [], { DATABASE_URL: stage.databaseUrl, SINGLE_MACHINE: '1', MIGRATE });
    expect(code).toBe(1);
    expect(err).toMatch(/^malote: the database is too new for release [^\n]*99\.0\.0[^\n]*\n$/);
  },
);

test('a start waits for a database that goes away at any step', async () => {
  const proxy = await proxyTo(stage.databaseUrl);
  // These steps read for the migrations, the first operator and the ended tokens.
  const goAway = async () => {
    for (const text of ['schema_migrations', "role = 'operator'", '"epoch_changed_at" > ']) {
      const before = proxy.lost();
      proxy.loseAnswersTo(text);
      await waitFor(() => proxy.lost() > before, text);
    }
    proxy.loseAnswersTo(undefined);
  };
  const starting = stage.start('api --no-sender', [], { DATABASE_URL: proxy.url });
  const [api] = await Promise.all([starting, goAway()]).finally(proxy.cut);
  expect(api.output().match(/database\.waiting/g)).toHaveLength(3);
});

test('a start warns of names that look like settings but are not, and of no other names', () => {
  const names = (text: string) => text.split(' ');
  const known = names('RATE_LIMIT_ACCOUNT_PER_HOUR DATABASE_POOL_SIZE OPERATOR_PASSWORD HOST PORT MALOTE_URL');
  const mistaken = names(
    'RATE_LIMIT_PER_HOUR DATABASE_POOLSIZE OPERATOR_PASSWROD MALOTE_LOG RATE_LIMITS_ACCOUNT_PER_HOUR',
  );
  const others = names(
    'HOME PATH POST HOSTNAME DATABASE_HOST npm_config_port MALOTE_SERVICE_HOST MALOTE_PORT_3000_TCP',
  );
  const env = Object.fromEntries([...known, ...mistaken, ...others].map((name) => [name, 'x']));
  expect(unknownSettings({ ...env, MALOTE_EMPTY: '' }, known)).toEqual(mistaken);
});

test('only a process with the API makes the first operator; the log names a mistaken setting', async () => {
  await stage.db.deleteFrom('accounts').execute();
  const worker = await stage.start('worker', [], { MALOTE_SECRET: 'hidden-word' });
  expect(worker.output()).not.toMatch(/password|hidden-word/);
  expect(worker.output().match(/"settings":\["MALOTE_SECRET"\]/g)).toHaveLength(1);
  expect(await stage.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  const api = await stage.start('api --no-sender', [], { OPERATOR_PASSWORD: '' });
  expect(api.output()).toMatch(/sign in as +\S+ with the password \S+, shown only now$/m);
});

test('an API that is asked to stop is not ready, but serves requests for a while', async () => {
  const api = await stage.start('api --no-sender', [], { SHUTDOWN_DELAY_SECONDS: '3', SHUTDOWN_SECONDS: '1' });
  const ready = async () => (await ask(probesOf(api), 'GET', '/readyz')).text;
  await waitFor(async () => (await ready()) === 'ready\n', 'ready');
  const ended = api.signal('SIGTERM');
  await waitFor(async () => (await ready()) === 'not ready: the process is stopping\n', 'not ready');
  const answer = await ask(api.url, 'GET', '/health');
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'keep-alive']);
  await ended;
  expect(api.output()).not.toMatch(/did not end in time/);
});

test('running requests are answered when the service is asked to stop', async () => {
  const customer = await newCustomer(stage, await stage.openReceiver());
  const api = await stage.start('api --no-sender', []);
  const token = await accessToken(api.url, customer);
  const finish = await Promise.all(Array.from({ length: 6 }, () => beginOrder(api.url, token)));
  const ended = api.signal('SIGTERM');
  await sleep(100);
  const statuses = await Promise.all(finish.map((end) => end()));
  // On a busy machine an order may wait too long for the database. A 503 is an answer, too.
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  await ended;
});

/**
 * Begins to create an order. Resolves, once the process reads, to a function that sends the rest and resolves to the
 * status.
 */
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

test('a stop ends within SHUTDOWN_SECONDS; an attempt that it cuts off is logged, and the next worker repeats it', async () => {
  const receiver = await stage.openReceiver();
  const [endpoint] = await newEndpoints(stage, receiver, { endpoints: 1 });
  receiver.answer(async () => {
    await sleep(14_000, undefined, { ref: false });
    return { status: 200 };
  });
  const worker = await stage.start('worker', [receiver.port], { SHUTDOWN_SECONDS: '2', LOG_LEVEL: 'info' });
  await newTraffic(stage.db).move(endpoint ? [endpoint] : []);
  await waitFor(() => receiver.arrivals.length === 1, 'a request');
  const askedAt = performance.now();
  await worker.signal('SIGTERM');
  expect((performance.now() - askedAt) / 1000).toBeGreaterThan(1.5);
  expect(worker.output().match(/"outcome":"cut".*"webhook\.attempt"/g)).toHaveLength(1);
  receiver.answer(() => ({ status: 200 }));
  await stage.start('worker', [receiver.port]);
  await waitFor(() => receiver.arrivals.length === 2, 'the same again');
  expect(new Set(receiver.arrivals.map(({ webhookId }) => webhookId)).size).toBe(1);
});
