import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { createLog } from '../../src/base/telemetry/log.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { standardSchedule } from '../../src/queue/schedule.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createNames } from '../../src/webhook/lookup.js';
import { startNameServer } from '../support/name-server.js';
import { startReceiver, waitFor } from '../support/receiver.js';
import {
  attemptsOf,
  authority,
  drained,
  eachScene,
  emptyQueue,
  move,
  pending,
  register,
  rulesFor,
  type Scene,
} from './support.js';

const HOST = 'hooks.example.com';
const settings = { schedule: standardSchedule };

const db = await emptyQueue();
let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { endpoints: 0 },
);
const lines: string[] = [];
const names = await startNameServer();
const receiver = await startReceiver({ authority, names: [HOST, 'other.example.org', '127.0.0.1'] });

beforeEach(() => {
  names.zone.clear();
  names.silentFor.clear();
  names.zone.set(HOST, [['127.0.0.1']]).set('other.example.org', [['127.0.0.1']]);
  lines.splice(0);
});
afterAll(async () => {
  names.close();
  await receiver.close();
});

function start(more: Parameters<Scene['start']>[0] = {}): WebhookWorker {
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const addresses = rulesFor([receiver]);
  const own = createNames(addresses, { resolver: names.resolver, fallbackDuration: 0 });
  return scene.start({ log, addresses, names: own, settings, ...more });
}

const at = (host: string) => ({ url: `https://${host}:${receiver.port}/hook` });
const incidents = () => lines.filter((line) => line.includes('"trouble"')).map((line) => JSON.parse(line));
const troubled = (worker: WebhookWorker) => waitFor(() => worker.troubles().length > 0, 'a trouble');

/** The number of own failures of the worker with this registry. */
async function failuresIn(registry: Registry): Promise<number> {
  const { values = [] } = (await registry.getSingleMetric('malote_webhook_own_failures_total')?.get()) ?? {};
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('name servers', () => {
  test('that answer for no name cost no attempt: the lane waits for seconds, and the log and the state say why', async () => {
    const { id } = await register(db, scene.accountId, at(HOST));
    names.silentFor.add('all');
    const registry = new Registry();
    const worker = start({ registry });
    await move(db, scene.keys);
    await troubled(worker);
    expect(worker.troubles()).toEqual(['no name server answers']);
    await waitFor(async () => (await failuresIn(registry)) > 1, 'a second failure');
    expect(incidents()).toMatchObject([{ level: 'error', trouble: 'names' }]);
    expect([await attemptsOf(db), await pending(db)]).toEqual([[], 1]);
    expect(await getEndpoint(db, id)).toMatchObject({ failingSince: null });
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - clock_timestamp())::float8 as seconds from webhook_lanes
      where state <> 'leased'`.execute(db);
    for (const { seconds } of rows) expect(seconds).toBeLessThan(8);
    names.silentFor.clear();
    await drained(db);
    expect(await attemptsOf(db)).toMatchObject([{ number: 1, outcome: 'acknowledged' }]);
  });

  test('that answer for all other names leave the failure to one endpoint, as does a name that does not exist', async () => {
    await register(db, scene.accountId, at('other.example.org'));
    const { id: silent } = await register(db, scene.accountId, at(HOST));
    const { id: absent } = await register(db, scene.accountId, at('nowhere.example.com'));
    names.silentFor.add(HOST);
    const worker = start();
    await move(db, scene.keys);
    await waitFor(async () => (await attemptsOf(db)).length === 3, 'three attempts');
    const failures = (await attemptsOf(db)).filter(({ outcome }) => outcome === 'not_sent');
    expect(failures.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([silent, absent].sort());
    expect([worker.troubles(), incidents()]).toEqual([[], []]);
  });
});

describe('encryption keys', () => {
  const other = (id: string) => [{ id, secret: randomBytes(32) }] as const;

  test.each([
    ['another key of the same id', other('test')],
    ['no key of that id', other('another')],
  ])('that cannot open the secrets cost no attempt, and another worker sends: %s', async (_, encryptionKeys) => {
    await register(db, scene.accountId, at(HOST));
    const registry = new Registry();
    const worker = start({ encryptionKeys, registry });
    await troubled(worker);
    expect(worker.troubles()).toEqual([expect.stringMatching(/^ENCRYPTION_KEYS /)]);
    await move(db, scene.keys);
    // The first failure comes from the check of the keys at the start.
    await waitFor(async () => (await failuresIn(registry)) > 2, 'two tries to send');
    expect([await attemptsOf(db), incidents()]).toMatchObject([[], [{ trouble: 'keys' }]]);
    expect(incidents()).toHaveLength(1);
    start();
    await drained(db);
    expect(await attemptsOf(db)).toMatchObject([{ number: 1, outcome: 'acknowledged' }]);
  });

  test('damaged secrets hold up only their own endpoint, and the process stays ready', async () => {
    const damaged = await register(db, scene.accountId, at(HOST));
    const sound = await register(db, scene.accountId, at('other.example.org'));
    await sql`
      update webhook_endpoints set password_sealed = (select password_sealed from webhook_endpoints where id = ${sound.id})
      where id = ${damaged.id}`.execute(db);
    const worker = start();
    await move(db, scene.keys);
    await waitFor(async () => (await pending(db)) === 1 && incidents().length > 0, 'the sound one');
    expect(incidents()).toMatchObject([{ trouble: 'secrets', detail: expect.stringContaining(damaged.id) }]);
    expect([worker.troubles(), await attemptsOf(db)]).toMatchObject([[], [{ endpoint_id: sound.id }]]);
  });
});
