import { Migrator } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { createLog } from '../../src/base/log.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { emptied, type TestDatabase } from './database.js';

/** Makes the database one that was used before tables were partitioned: with an account, and all tables plain. */
export async function makePlain({ db, url }: Pick<TestDatabase, 'db' | 'url'>): Promise<void> {
  await emptied(db);
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0010'));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => earlier } }).migrateToLatest();
  if (error) throw error;
  const account = {
    email: 'a@example.com',
    name: 'A',
    phone: '+5511999990000',
    role: 'customer',
    password_hash: '',
  } as const;
  await db
    .insertInto('accounts')
    .values({ id: newId(), ...account })
    .execute();
  await migrate(url, createLog({ level: 'silent' }));
}
