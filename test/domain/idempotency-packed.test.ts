import { expect, test } from '@jest/globals';
import { open, seal } from '../../src/base/secrets/seal.js';
import { once } from '../../src/idempotency/once.js';
import { answerName, type Scope, storedRows, unpacked } from '../../src/idempotency/stored-answers.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { scopeOf } from './orders-fixtures.js';

const database = await ownDatabase();
const account = await makeAccount(database.db);
const scope = (key: string): Scope => scopeOf({ accountId: account.id }, key);

const answer = { text: 'Rua dos Pinheiros, São Paulo '.repeat(100) };
const answered = (key: string) => once(database.db, scope(key), async () => async () => answer);

test('answers are stored compressed, and a repetition gets the same answer', async () => {
  expect((await answered('packed')).answer).toEqual(answer);
  expect(await answered('packed')).toEqual({ answer, headers: { 'Idempotent-Replayed': 'true' } });
  const { keys, ...name } = scope('packed');
  const [row] = await storedRows(database.db, [scope('packed')]);
  expect(open(keys, row?.answer ?? Buffer.alloc(0), answerName(name)).length).toBeLessThan(
    JSON.stringify(answer).length / 10,
  );
});

test('a compressed answer of an earlier release can still be read', () => {
  const bytes = Buffer.from('eLvWGQmowy0Dr28MsZRBRjFKtUq1AFl9ExY=', 'base64');
  expect(unpacked(bytes)).toBe(String.raw`{"kind":"answer","text":"{\"id\":\"1\",\"loggi_key\":\"2\"}"}`);
});

test('an answer that release 1.7 stored as text is repeated', async () => {
  await answered('text');
  const text = JSON.stringify({ kind: 'answer', text: JSON.stringify(answer) });
  const { keys, ...name } = scope('text');
  const stored = { answer: seal(keys, text, answerName(name)) };
  await database.db.updateTable('idempotency_keys').set(stored).where('key', '=', 'text').execute();
  expect((await answered('text')).answer).toEqual(answer);
});
