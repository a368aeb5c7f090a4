import { Migrator, sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { createLog } from '../../src/base/log.js';
import { migrate } from '../../src/db/migrate.js';
import { migrations } from '../../src/db/migrations/index.js';
import type { TestDatabase } from './database.js';

/** Makes a test's database one that was used before tables were partitioned, and that has the present migrations since. */
export async function makePlain({ db, url }: TestDatabase, use = async () => {}): Promise<void> {
  await sql`drop schema public cascade; create schema public`.execute(db);
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0010'));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => earlier } }).migrateToLatest();
  if (error) throw error;
  const person = { email: 'a@example.com', name: 'A', phone: '+5511999990000', password_hash: '' };
  await db
    .insertInto('accounts')
    .values({ id: newId(), role: 'customer', ...person })
    .execute();
  await use();
  await migrate(url, createLog({ level: 'silent' }));
}
