import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { ownedBy } from '../../src/db/owned-by.js';
import type { Database } from '../../src/db/tables/database.js';

const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const seenBy = (role: Actor['role']) => {
  const query = db
    .selectFrom('packages as p')
    .select('p.seq')
    .where(ownedBy({ accountId: 'a', role }, 'p.account_id'));
  const { sql, parameters } = query.compile();
  return [sql.split(' where ')[1], ...parameters];
};

test('a customer sees the records of its account, and an operator sees all records', () => {
  expect(seenBy('customer')).toEqual(['"p"."account_id" = $1', 'a']);
  expect(seenBy('operator')).toEqual(['true']);
});

// Operations on a record of another account are tried in test/contract/authorization.test.ts.
test('no other file chooses records by the role', () => {
  const root = new URL('../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  // Files in http/ read no records. There the role chooses a rate limit.
  const choosing = files.filter(
    (name) => !name.startsWith('http/') && /role === '\w+'\s*\?/.test(readFileSync(new URL(name, root), 'utf8')),
  );
  expect(choosing).toEqual(['base/actor.ts']);
});
