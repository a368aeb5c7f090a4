import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { ownDatabase } from '../support/services.js';
import { beside } from './malote.js';

const names = Object.keys(migrations);
const database = await ownDatabase();
await sql`drop schema public cascade; create schema public`.execute(database.db);
// In production a process needs keys, but this command does not.
const commands = beside({ DATABASE_URL: database.url, NODE_ENV: 'production' });

async function states(): Promise<Record<string, string>> {
  const { code, out } = await commands.run(['migrate', '--status', '--json']);
  expect(code).toBe(0);
  const { data }: { data: { migration: string; state: string }[] } = JSON.parse(out);
  return Object.fromEntries(data.map(({ migration, state }) => [migration, state]));
}

test('malote migrate --status lists the open migrations, and does nothing', async () => {
  const pending = Object.fromEntries(names.map((name) => [name, 'pending']));
  expect([await states(), await states()]).toEqual([pending, pending]);
  const { out } = await commands.run(['migrate', '--status']);
  expect(out).toMatch(/^MIGRATION +STATE .*\n0034-ascending-indexes +pending/);
});

test('malote migrate applies everything, says so, and does nothing the second time', async () => {
  const first = await commands.run(['migrate']);
  expect([first.code, first.out.match(/^applied \S+/gm)?.length]).toEqual([0, first.out.trim().split('\n').length]);
  expect(first.out).toContain('applied new database');
  const err = 'The database has every migration of this release.\n';
  expect(await commands.run(['migrate'])).toEqual({ code: 0, out: '', err });
  expect(await states()).toEqual(Object.fromEntries(names.map((name) => [name, 'applied'])));
});

test('malote migrate refuses a database that is too new, in one line', async () => {
  const none = async () => undefined;
  const newer = { ...migrations, '9000-added': { up: none }, '9001-removed': { up: none, serves: { from: '99.0.0' } } };
  await migrate(database.url, createLog({ level: 'silent' }), { migrations: newer });
  expect(await commands.run(['migrate'])).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^malote: the database is too new for release .* since 9001-removed\.\n$/),
  });
  expect(await states()).toMatchObject({ '9001-removed': 'of another release' });
});
