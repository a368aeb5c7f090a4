import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/log.js';
import { getEndpoint } from '../../src/outbox/endpoint-queries.js';
import { standardSchedule } from '../../src/outbox/schedule.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createNames } from '../../src/webhook/lookup.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type NameServer, startNameServer } from '../support/name-server.js';
import { type Authority, createAuthority, type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { attemptsOf, drained, move, pending, register, ring, rulesFor, shipped, workerFor } from './support.js';

const HOST = 'hooks.example.com';
const settings = { schedule: standardSchedule };

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let names: NameServer;
let accountId: string;
let keys: string[];
const workers: WebhookWorker[] = [];
let lines: string[];

beforeAll(async () => {
  names = await startNameServer();
  authority = await createAuthority();
  receiver = await startReceiver({ authority, names: [HOST, 'other.example.org', '127.0.0.1'] });
});
beforeEach(async () => {
  database = await createDatabase();
  names.zone.clear();
  names.silentFor.clear();
  names.zone.set(HOST, [['127.0.0.1']]).set('other.example.org', [['127.0.0.1']]);
  ({ accountId, keys } = await shipped(database.db));
  lines = [];
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  receiver.received.length = 0;
  await database.drop();
});
afterAll(async () => {
  names.close();
  await receiver.close();
});

function start(more: Parameters<typeof workerFor>[3] = {}): WebhookWorker {
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const own = createNames(rulesFor([receiver]), { resolver: names.resolver, fallbackDuration: 0 });
  const worker = workerFor(database.db, authority, [receiver], { log, names: own, settings, ...more });
  workers.push(worker);
  worker.start();
  return worker;
}

const at = (host: string) => ({ url: `https://${host}:${receiver.port}/hook` });
const incidents = () => lines.filter((line) => line.includes('"trouble"')).map((line) => JSON.parse(line));
const troubled = (worker: WebhookWorker) => waitFor(() => worker.troubles().length > 0, 'a trouble');

describe('name servers', () => {
  test('that answer for no name cost no attempt: the lane waits for seconds, and one line and the state say why', async () => {
    const { id } = await register(database.db, accountId, at(HOST));
    names.silentFor.add('all');
    const worker = start();
    await move(database.db, keys);
    await troubled(worker);
    expect(worker.troubles()).toEqual(['no name server answers']);
    await waitFor(() => Number(lines.length) > 0, 'a line');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(incidents()).toMatchObject([{ level: 'error', trouble: 'names' }]);
    expect([await attemptsOf(database.db), await pending(database.db)]).toEqual([[], 1]);
    expect(await getEndpoint(database.db, id)).toMatchObject({ failingSince: null });
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - clock_timestamp())::float8 as seconds from webhook_lanes
      where state <> 'leased'`.execute(database.db);
    for (const { seconds } of rows) expect(seconds).toBeLessThan(8);
    names.silentFor.clear();
    await drained(database.db);
    expect(await attemptsOf(database.db)).toMatchObject([{ number: 1, outcome: 'acknowledged' }]);
  });

  test('that answer for other names make it a failure of this one, and so does a name that does not exist', async () => {
    await register(database.db, accountId, at('other.example.org'));
    const { id: silent } = await register(database.db, accountId, at(HOST));
    const { id: absent } = await register(database.db, accountId, at('nowhere.example.com'));
    names.silentFor.add(HOST);
    const worker = start();
    await move(database.db, keys);
    await waitFor(async () => (await attemptsOf(database.db)).length === 3, 'three attempts');
    const failures = (await attemptsOf(database.db)).filter(({ outcome }) => outcome === 'not_sent');
    expect(failures.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([silent, absent].sort());
    expect([worker.troubles(), incidents()]).toEqual([[], []]);
  });
});

describe('keys', () => {
  const other = (id: string) => [{ id, secret: randomBytes(32) }] as const;

  test.each([
    ['another key of the same id', other('test')],
    ['no key of that id', other('another')],
  ])('that do not open the secrets cost no attempt, and another worker sends: %s', async (_, encryptionKeys) => {
    await register(database.db, accountId, at(HOST));
    const worker = start({ encryptionKeys });
    await troubled(worker);
    expect(worker.troubles()).toEqual([expect.stringMatching(/^ENCRYPTION_KEYS /)]);
    await move(database.db, keys);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect([await attemptsOf(database.db), incidents()]).toMatchObject([[], [{ trouble: 'keys' }]]);
    expect(incidents()).toHaveLength(1);
    start();
    await drained(database.db);
    expect(await attemptsOf(database.db)).toMatchObject([{ number: 1, outcome: 'acknowledged' }]);
  });

  test('damaged secrets hold up their endpoint and no other, and the process stays ready', async () => {
    const [damaged, sound] = [
      await register(database.db, accountId, at(HOST)),
      await register(database.db, accountId, at('other.example.org')),
    ];
    const password = await database.db
      .selectFrom('webhook_endpoints')
      .select('password_sealed')
      .where('id', '=', sound.id)
      .executeTakeFirstOrThrow();
    await database.db.updateTable('webhook_endpoints').set(password).where('id', '=', damaged.id).execute();
    const worker = start();
    await move(database.db, keys);
    await waitFor(async () => (await pending(database.db)) === 1 && incidents().length > 0, 'the sound one');
    expect(incidents()).toMatchObject([{ trouble: 'secrets', detail: expect.stringContaining(damaged.id) }]);
    expect([worker.troubles(), await attemptsOf(database.db)]).toMatchObject([[], [{ endpoint_id: sound.id }]]);
    expect(ring).toHaveLength(1);
  });
});
