import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/log.js';
import { open } from '../../src/base/seal.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { once } from '../../src/idempotency/once.js';
import { answerName, type Scope, storedRows, unpacked } from '../../src/idempotency/stored-answers.js';
import { emptied } from '../support/database.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { scopeOf } from './orders-fixtures.js';

const PACKED = '0032-packed-answers';

const database = await ownDatabase();
let scope: (key: string) => Scope;

/** Migrates the empty database as a new one, or as one that a release before these answers served. */
async function begin(isNew: boolean): Promise<void> {
  await emptied(database.db);
  const log = createLog({ level: 'silent' });
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < PACKED));
  if (!isNew) await migrate(database.url, log, { migrations: earlier });
  if (!isNew) await makeAccount(database.db);
  await migrate(database.url, log);
  const account = await makeAccount(database.db);
  scope = (key) => scopeOf({ accountId: account.id }, key);
}

const answer = { text: 'Rua dos Pinheiros, São Paulo '.repeat(100) };
const answered = (key: string) => once(database.db, scope(key), async () => async () => answer);

/** The bytes of a stored answer, as a release before these opened them. */
async function bytesOf(key: string): Promise<Buffer> {
  const [row] = await storedRows(database.db, [scope(key)]);
  if (!row) throw new Error('nothing is stored');
  return open(scope(key).keys, row.answer, answerName(scope(key)));
}

test('a new database has answers packed, and a repetition is answered the same', async () => {
  await begin(true);
  expect((await answered('packed')).answer).toEqual(answer);
  expect(await answered('packed')).toEqual({ answer, headers: { 'Idempotent-Replayed': 'true' } });
  expect((await bytesOf('packed')).length).toBeLessThan(JSON.stringify(answer).length / 10);
});

test('what was packed opens for good', () => {
  const bytes = Buffer.from('eLvWGQmowy0Dr28MsZRBRjFKtUq1AFl9ExY=', 'base64');
  expect(unpacked(bytes)).toBe(String.raw`{"kind":"answer","text":"{\"id\":\"1\",\"loggi_key\":\"2\"}"}`);
});

test('where an earlier release served, it goes on reading what this one stores', async () => {
  await begin(false);
  await answered('text');
  const stored: unknown = JSON.parse((await bytesOf('text')).toString('utf8'));
  expect(stored).toEqual({ kind: 'answer', text: JSON.stringify(answer) });
  expect((await answered('text')).headers).toEqual({ 'Idempotent-Replayed': 'true' });

  // Once a later release says that none of the earlier ones may run.
  await sql`update schema_migrations set oldest_release = '1.7.0' where name = ${PACKED}`.execute(database.db);
  await answered('later');
  expect((await bytesOf('later')).length).toBeLessThan(JSON.stringify(answer).length / 10);
  for (const key of ['text', 'later']) expect((await answered(key)).answer).toEqual(answer);
});
