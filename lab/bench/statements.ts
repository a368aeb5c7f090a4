/**
 * Measures the statement of a month with many orders: the time to its first byte, and the service's memory: npm run
 * build && npx tsx lab/bench/statements.ts [--orders 100000]. Other accounts have three times as many orders in the
 * month. Exits non-zero if the first byte takes more than half a second, or if memory grows by more than 64 MiB.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect } from '../../src/db/connect.js';
import { monthAt } from '../../src/orders/statements/months.js';
import { orderBody } from '../../test/support/bodies.js';
import { accessToken, clientsFor } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, mention, spread } from '../figures.js';
import { demandBuild, SERVICE } from './programs.js';

const GOAL_MS = 500;
const GOAL_MIB = 64;
const MEBIBYTE = 1_048_576;

const { values } = parseArgs({ options: { orders: { type: 'string', default: '100000' } } });
const orders = Number(values.orders);

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const settings = { ...serviceSettings(postgres.nearUrl, postgres.folder), RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], settings, { measured: true });
const db = connect({
  ...{ url: postgres.nearUrl, poolSize: 1, applicationName: 'bench', log: createLog({ level: 'silent' }) },
  statementTimeoutMs: 0,
});

/** Copies an order's row so many times for an account, with so many seconds between them. */
const copies = (id: string, accountId: string, { count, seconds }: { count: number; seconds: number }) =>
  sql`
    insert into orders (id, account_id, external_id, status, payment_method_id, rate_card_version, price_lines,
      total_centavos, distance_metres, distance_source, pickup_count, package_count, created_at)
    select uuidv7(make_interval(secs => -n * ${seconds}::float8)), ${accountId}::uuid, 'pedido-' || n, status,
      (select min(method.id) from payment_methods method where method.account_id = ${accountId}::uuid),
      rate_card_version, price_lines, total_centavos, distance_metres, distance_source, pickup_count, package_count,
      now() - make_interval(secs => n * ${seconds}::float8)
    from orders, generate_series(1, ${count}::integer) n where id = ${id}::uuid`.execute(db);

interface Reading {
  firstMs: number;
  allMs: number;
  bytes: number;
  grownMiB: number;
}

async function read(path: string, token: string, accept: string): Promise<Reading> {
  const before = await memory();
  const began = performance.now();
  let [firstMs, bytes, most] = [0, 0, before];
  const request = get(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}`, accept } });
  const [answer] = await once(request, 'response');
  for await (const part of answer) {
    if (bytes === 0) firstMs = performance.now() - began;
    if (Math.floor(bytes / MEBIBYTE) !== Math.floor((bytes + part.length) / MEBIBYTE))
      most = Math.max(most, await memory());
    bytes += part.length;
  }
  return { firstMs, allMs: performance.now() - began, bytes, grownMiB: most - before };
}

/** The memory of the process, in MiB. */
async function memory(): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

try {
  console.log(machine());
  const token = await accessToken(server.url, operatorLogin);
  const { rest } = clientsFor(server.url, token);
  const { data: order } = await rest.POST('/api/v1/orders', { body: orderBody() });
  if (!order) throw new Error('no order was created');
  const body = { name: 'Bia', email: 'bia@malote.test', password: 'another password', phone: '+55 11 91234-5678' };
  const { data: other } = await rest.POST('/api/v1/users', { body });
  if (!other) throw new Error('no account was created');
  await copies(order.id, other.id, { count: 3 * orders, seconds: 0.16 });
  await copies(order.id, order.user_id, { count: orders, seconds: 0.5 });
  await sql`vacuum analyze orders`.execute(db);
  const month = monthAt(new Date()).name;
  const path = `/api/v1/statements/${month}`;
  const kinds = [
    ['JSON', path, 'application/json'],
    ['CSV', path, 'text/csv'],
    ['CSV of all accounts', `/operator/v1/statements/${month}`, 'text/csv'],
  ] as const;
  let isGood = true;
  for (const [name, at, accept] of kinds) {
    await read(at, token, accept);
    const readings = [await read(at, token, accept), await read(at, token, accept), await read(at, token, accept)];
    mention(`${name}, MiB`, spread(readings.map(({ bytes }) => bytes / MEBIBYTE)));
    mention(`${name}, whole, ms`, spread(readings.map(({ allMs }) => allMs)));
    isGood =
      judge(`${name}, first byte, ms`, spread(readings.map(({ firstMs }) => firstMs)), GOAL_MS, 'below') && isGood;
    const grown = spread(readings.map(({ grownMiB }) => grownMiB));
    isGood = judge(`${name}, memory gained, MiB`, grown, GOAL_MIB, 'below') && isGood;
  }
  const began = performance.now();
  await rest.GET('/api/v1/statements');
  mention('List of months, ms', spread([performance.now() - began]));
  process.exitCode = isGood ? 0 : 1;
} finally {
  await db.destroy();
  await server.signal('SIGTERM');
  await postgres.stop();
}
