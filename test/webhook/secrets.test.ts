import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { open } from '../../src/base/secrets/seal.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { rotateKeyPair, rotateSigningSecret } from '../../src/endpoints/endpoints.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { authority, drained, move, register, ring, shipped, workerFor } from './support.js';

const CANARY = 'c4n4ry-p4ssw0rd';
const database = await ownDatabase();
let receiver: Receiver;

afterAll(() => receiver.close());

test('secrets appear neither in the database nor in the log', async () => {
  receiver = await startReceiver({ authority, password: CANARY });
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const log = createLog({ level: 'trace', destination: { write } });
  const worker = workerFor(database.db, authority, [receiver], { log });
  const { accountId, keys } = await shipped(database.db);
  const { id, signingSecret } = await register(database.db, accountId, receiver, { password: CANARY });
  const rotated = await rotateSigningSecret(database.db, ring, id);
  await rotateKeyPair(database.db, ring, id);
  receiver.next(
    { status: 500 },
    (request) => void request.socket.destroy(),
    ({ headers }, response) => void response.writeHead(500).end(`${headers.authorization} ${CANARY}`),
  );
  worker.start();
  await move(database.db, keys);
  await drained(database.db);
  await worker.stop();
  expect(receiver.received.at(-1)?.authenticated).toBe(true);
  const rows = await everything();
  const basic = Buffer.from(`malote:${CANARY}`).toString('base64');
  const privateKeys = await privateKeysOf(id);
  expect(privateKeys).toHaveLength(2);
  for (const secret of [CANARY, signingSecret.slice(6), rotated.signingSecret.slice(6), basic, ...privateKeys]) {
    const urlSafe = secret.replaceAll('+', '-').replaceAll('/', '_');
    const hex = [Buffer.from(secret), Buffer.from(secret, 'base64')].map((bytes) => bytes.toString('hex'));
    for (const form of [secret, urlSafe, ...hex]) {
      expect(rows).not.toContain(form);
      expect(logged).not.toContain(form);
    }
  }
  expect(logged).toContain('webhook.attempt');
});

/** The private keys of the endpoint: base64 of the half that the public key does not contain. */
async function privateKeysOf(id: string): Promise<string[]> {
  const { private_key_sealed: present, previous_private_key_sealed: previous } = await database.db
    .selectFrom('webhook_endpoints')
    .select(['private_key_sealed', 'previous_private_key_sealed'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return [present, previous].flatMap((sealed) => {
    const text = sealed ? open(ring, sealed, id).toString('utf8') : '';
    return Buffer.from(text.replace('whsk_', ''), 'base64').toString('base64', 0, 32).replace(/.=$/, '');
  });
}

/** Each row of each table, as text. */
async function everything(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(database.db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(database.db);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
