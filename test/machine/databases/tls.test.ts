import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { beside } from '../../cli/malote.js';
import { execute } from '../../support/database.js';
import { ownFolder } from '../../support/folder.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import { certificate, createAuthority } from '../../support/receiver.js';
import { startService } from '../../support/service.js';

/** The service uses TLS with its database if DATABASE_URL says so, and explains failures in words. */

const folder = await ownFolder();
const trusted = join(folder, 'authority.pem');
const other = join(folder, 'other.pem');
let postgres: TemporaryPostgres;

/** Makes PostgreSQL accept passwords only over TLS. */
async function demandTls({ folder: home, nearUrl }: TemporaryPostgres): Promise<void> {
  const files = join(home, 'postgres', 'files');
  const authority = await createAuthority();
  const { cert, private: key } = await certificate({ authority });
  await writeFile(trusted, authority.cert);
  await writeFile(other, (await createAuthority()).cert);
  const { uid, gid } = await stat(join(files, 'postmaster.pid'));
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    const path = join(files, name);
    await writeFile(path, text);
    await chmod(path, 0o600);
    await chown(path, uid, gid);
  }
  const rules = await readFile(join(files, 'pg_hba.conf'), 'utf8');
  await writeFile(
    join(files, 'pg_hba.conf'),
    `${rules.replace(/^host.*$/gm, '')}\nhostssl all all all scram-sha-256\n`,
  );
  await execute(nearUrl, "create role carrier login password 'p4ss'");
  await execute(nearUrl, 'create database carrier owner carrier');
  await execute(nearUrl, 'alter system set ssl = on');
  await execute(nearUrl, 'select pg_reload_conf()');
}

beforeAll(async () => {
  postgres = await startPostgres();
  await demandTls(postgres);
});
afterAll(() => postgres.stop());

function urlWith(options: string, password = 'p4ss'): string {
  const { port } = new URL(postgres.url);
  return `postgres://carrier:${password}@localhost:${port}/carrier${options}`;
}

test('all connections of the service are encrypted, and the server proves its name', async () => {
  const url = urlWith(`?sslmode=verify-full&sslrootcert=${trusted}`);
  const service = await startService({ DATABASE_URL: url });
  const client = new pg.Client({ connectionString: postgres.nearUrl });
  await client.connect();
  const { rows } = await client.query<{ ssl: boolean; count: number }>(`
    select ssl, count(*)::integer as count from pg_stat_ssl join pg_stat_activity using (pid)
    where usename = 'carrier' group by ssl`);
  await client.end();
  await service.stop();
  expect(rows).toEqual([{ ssl: true, count: expect.any(Number) }]);
});

describe('a command says why it does not reach the database', () => {
  test.each([
    [
      'without TLS',
      () => urlWith(''),
      /no pg_hba\.conf entry .* no encryption\. Let DATABASE_URL end with \?sslmode=verify-full\./,
    ],
    ['with another authority', () => urlWith(`?sslmode=verify-full&sslrootcert=${other}`), /certificate/],
    [
      'with a wrong password',
      () => urlWith(`?sslmode=verify-full&sslrootcert=${trusted}`, 'no'),
      /password authentication failed/,
    ],
    ['where nothing listens', () => 'postgres://malote@localhost:1/carrier', /ECONNREFUSED/],
  ])('%s', async (_, url, words) => {
    const { code, err } = await beside({ DATABASE_URL: url() }).run('migrate --status');
    expect(code).toBe(3);
    expect(err).toMatch(/^malote: No database: /);
    expect(err).toMatch(words);
  });
});
