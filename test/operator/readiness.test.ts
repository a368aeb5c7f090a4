import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { createLog } from '../../src/base/telemetry/log.js';
import { createReadiness } from '../../src/base/telemetry/readiness.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';

/** The answers of `/readyz` and of the interfaces while the database is read-only. */

const lines: string[] = [];
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
const service = await ownService({}, { worker: false, log });

const ready = async () => {
  const answer = await fetch(`${service.app.internalUrl}/readyz`);
  return `${answer.status} ${await answer.text()}`;
};
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.db);
const name = sql.ref(rows[0]?.name ?? '');
const cutConnections = () =>
  sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'malote service' and datname = current_database()`.execute(service.db);

test('the service is not ready and answers 503 while the database is read-only; the log has one line at each change', async () => {
  expect(await ready()).toBe('200 ready\n');
  const customer = await service.customer();
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(service.db);
  // As in a failover, existing connections are lost.
  await cutConnections();
  await waitFor(
    async () => (await ready()) === '503 not ready: the database takes no writes: it is a standby or read-only\n',
    'not ready',
  );
  const dimensions = { width: 10, height: 10, length: 10, weight: 300 };
  const body = { name: 'Caneca', sku: 'C-1', price: '10.00', dimensions };
  const refused = await customer.rest.POST('/api/v1/products', { body });
  expect([refused.response.status, refused.error?.error.code]).toEqual([503, 'UNAVAILABLE']);
  await sql`set default_transaction_read_only = off`.execute(service.db);
  await sql`alter database ${name} set default_transaction_read_only = off`.execute(service.db);
  await waitFor(async () => (await ready()) === '200 ready\n', 'ready again');
  await waitFor(
    async () => (await customer.rest.POST('/api/v1/products', { body })).response.status === 201,
    'a product',
  );
  expect(lines.filter((line) => line.includes('"service.not_ready"'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('"service.ready"'))).toHaveLength(1);
});

test('the database is checked at most once a second, even when many ask', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, ready));
  expect(new Set(answers)).toEqual(new Set(['200 ready\n']));
  const readiness = createReadiness(createLog({ level: 'silent' }), new Registry());
  let looks = 0;
  readiness.add(async () => {
    looks += 1;
    return undefined;
  });
  readiness.say(undefined);
  const begun = performance.now();
  for (let time = 0; time < 500; time += 1) await readiness.obstacles();
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1000);
});

test('the check of the database writes to its disk', async () => {
  // This limit stands for a full disk: only the code of the error differs.
  await sql`alter database ${name} set temp_file_limit = 0`.execute(service.db);
  await cutConnections();
  await waitFor(async () => (await ready()) === '503 not ready: the database does not answer\n', 'not ready');
});
