import { afterAll, expect, test } from '@jest/globals';
import { movement, placeOrder, record } from '../operator/fixtures.js';
import { makeCopied } from '../support/copied.js';
import { createDatabase } from '../support/database.js';
import { must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { examine } from './doctor.js';
import { beside } from './malote.js';

/** A database copied by pg_dump or logical replication: its changes have numbers of another server. */

const database = await createDatabase();
const service = await startService({ DATABASE_URL: database.nearUrl });
afterAll(async () => {
  await service.stop();
  await database.drop();
});
const ana = await service.customer();
const malote = beside({ DATABASE_URL: database.url });

type Query = { updated_from?: string; cursor?: string };
const list = (query: Query) => ana.rest.GET('/api/v1/packages', { params: { query } });
const changed = async (query: Query) => must(await list(query));
const keysIn = async (query: Query) => (await changed(query)).data.map(({ loggi_key: key }) => key);
const finding = async () => (await examine(database.url)).of('change-numbers');

test('a copied database is detected, lists no changes until it is renumbered, and then lists all of them', async () => {
  const { packages } = await placeOrder(ana, 3);
  const keys = packages.map(({ loggi_key: key }) => key);
  const start = { updated_from: '2020-01-01T00:00:00Z' };
  await waitFor(async () => (await keysIn(start)).length === 3, 'older transactions to end');
  const { next_cursor: cursor = '' } = await changed(start);
  expect(await finding()).toMatchObject({ status: 'ok' });
  await makeCopied(database.db);
  expect(await finding()).toMatchObject({ status: 'bad', advice: expect.stringContaining('malote changes renumber') });
  for (const query of [start, { cursor }]) {
    const { response, error } = await list(query);
    expect([response.status, error?.error.code, response.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '60',
    ]);
  }
  expect(await malote.json(['changes', 'renumber'])).toEqual({ renumbered: 4 });
  await waitFor(async () => (await keysIn({ cursor })).length === 3, 'older transactions to end');
  const { data, next_cursor: later = '' } = await changed({ cursor });
  expect(data.map(({ loggi_key: key }) => key).sort()).toEqual([...keys].sort());
  const [first = ''] = keys;
  await record(service.operator, movement(first, { status_code: 3 }));
  await waitFor(async () => (await keysIn({ cursor: later })).length > 0, 'older transactions to end');
  expect(await keysIn({ cursor: later })).toEqual([first]);
  expect(await finding()).toMatchObject({ status: 'ok' });
});

test('a database with its own numbers is renumbered only when an option asks for it', async () => {
  const { next_cursor: cursor = '' } = await changed({ updated_from: '2020-01-01T00:00:00Z' });
  expect(await malote.json(['changes', 'renumber'])).toEqual({ renumbered: 0 });
  expect((await changed({ cursor })).next_cursor).toBe(cursor);
  await malote.json(['changes', 'renumber', '--anyway']);
  await waitFor(async () => (await keysIn({ cursor })).length === 3, 'older transactions to end');
});
