import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import type { Db } from '../../src/db/connect.js';
import { awaitAccess, waitOf } from '../../src/db/connection/pooler.js';
import { isReadOnly, isUnavailable } from '../../src/db/errors.js';
import { transaction } from '../../src/db/transaction.js';
import { execute, failureOf, withPool as withPoolAt } from '../support/database.js';
import { proxyTo, type TcpProxy } from '../support/proxy.js';
import { ownDatabase } from '../support/services.js';

/** A database behind two addresses. One of them is dead or takes no writes. */

const database = await ownDatabase();
let first: TcpProxy;
let second: TcpProxy;
beforeAll(async () => {
  [first, second] = await Promise.all([proxyTo(database.url), proxyTo(database.url)]);
});
afterAll(() => second.cut());

const lines: string[] = [];
const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } });

/** One URL that names both servers, in the form of libpq. */
function bothHosts(): string {
  const [one, other] = [new URL(first.url), new URL(second.url)];
  return first.url.replace(one.host, `${one.host},${other.host}`);
}

const refuseWrites = (refused: boolean) =>
  sql`alter database ${sql.ref(new URL(database.url).pathname.slice(1))}
    set default_transaction_read_only = ${sql.lit(refused)}`.execute(database.db);

const withPool = <T>(url: string, use: (pool: Db) => Promise<T>): Promise<T> =>
  withPoolAt({ url, poolSize: 1, applicationName: 'hosts', log }, use);

const note = (db: Db) => sql`insert into sealing_keys (id) values ('x') on conflict do nothing`.execute(db);

test('a URL with several hosts leads to the host that answers and takes writes', async () => {
  await withPool(bothHosts(), async (pool) => {
    await note(pool);
    await refuseWrites(true);
    // An existing connection keeps the settings of its session. As after a failover, only a new connection shows the
    // present state of the server.
    await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(pool));
    // The pool does not search again right after it has found a host.
    await sleep(600);
    const failure = await failureOf(note(pool));
    expect([isUnavailable(failure), String(failure)]).toEqual([
      true,
      'NoWritableHostError: none of the hosts of DATABASE_URL takes writes',
    ]);
    await refuseWrites(false);
    await first.cut();
    await sleep(600);
    await note(pool);
  });
});

test('a connection is replaced when its server no longer takes writes', async () => {
  await withPool(database.url, async (pool) => {
    const endWrites = () => sql`set default_transaction_read_only = on`.execute(pool);
    await endWrites();
    expect(isReadOnly(await failureOf(note(pool)))).toBe(true);
    await note(pool);
    await endWrites();
    expect(isReadOnly(await failureOf(transaction(pool, (trx) => note(trx))))).toBe(true);
    await note(pool);
  });
});

test('a start waits for a writable database, logs this once, and gives up in the end', async () => {
  lines.length = 0;
  await refuseWrites(true);
  const gaveUp = awaitAccess(database.url, waitOf(1, log), log);
  await expect(gaveUp).rejects.toThrow('the database of DATABASE_URL takes no writes');
  const waiting = awaitAccess(database.url, waitOf(60, log), log);
  await sleep(1_200);
  await refuseWrites(false);
  expect(await waiting).toEqual({ pooled: false, prepared: true });
  expect(lines.filter((line) => line.includes('database.waiting'))).toHaveLength(2);
  await expect(awaitAccess(first.url, waitOf(1, log), log)).rejects.toThrow(/ECONNREFUSED/);
  // Waiting does not help against a wrong password or database name.
  await expect(awaitAccess(`${database.url}x`, waitOf(60, log), log)).rejects.toThrow(/does not exist/);
});

test('a URL with a single address stays unchanged', async () => {
  await withPool(second.url, (pool) => note(pool));
  await execute(database.url, `delete from sealing_keys where id = 'x'`);
});
