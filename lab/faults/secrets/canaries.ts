import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { startReceiver } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';
import { type Canaries, exercise } from './canary-calls.js';

const canary = (): string => `c4n4ry-${randomBytes(12).toString('hex')}`;

/** The notations in which a secret may appear, and the values that are derived from it. */
function formsOf(secret: string): string[] {
  const bare = secret.replace(/^wh(sec|sk)_/, '');
  const bytes = [Buffer.from(secret), Buffer.from(bare, 'base64')];
  return [
    bare,
    encodeURIComponent(bare),
    ...bytes.flatMap((each) => [each.toString('hex'), each.toString('base64'), each.toString('base64url')]),
  ].filter((form) => form.length >= 12);
}

/** The names of the secrets that a text contains. */
function findIn(place: string, text: string, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => `${name} stands in ${place}`);
}

export const canaries: Fault = {
  what: 'canary secrets everywhere',
  promise: 'never in logs, errors, or plain in the database: hits 0',
  run: async ({ stage }) => {
    const secrets: Canaries = {
      operatorPassword: canary(),
      customerPassword: canary(),
      newPassword: canary(),
      wrongPassword: canary(),
      webhookUser: 'malote',
      webhookPassword: canary(),
      generated: new Map(),
    };
    const receiver = await startReceiver({
      authority: stage.authority,
      username: secrets.webhookUser,
      password: secrets.webhookPassword,
    });
    const env = { OPERATOR_PASSWORD: secrets.operatorPassword, LOG_LEVEL: 'trace' };
    const api = await stage.start('api --no-sender', [receiver.port], env);
    const worker = await stage.start('worker', [receiver.port], env);
    const answers = await exercise({ stage, api, worker, receiver, secrets });
    await Promise.all([api.signal('SIGTERM'), worker.signal('SIGTERM')]);
    await receiver.close();

    const basic = Buffer.from(`${secrets.webhookUser}:${secrets.webhookPassword}`).toString('base64');
    const { generated, webhookUser: _, ...passwords } = secrets;
    const byName = new Map<string, string>([
      ...Object.entries(passwords),
      ...generated,
      ['basic', basic],
      ['keyRing', stage.ring[0].secret.toString('base64url')],
    ]);
    const database = await everything(stage);
    const logs = `${api.output()}${worker.output()}`;
    const hits = [
      ...findIn('the log', logs, byName),
      ...findIn('the database', database, byName),
      ...answers.flatMap(({ call, text }) => findIn(`the answer to ${call}`, text, byName)),
    ];
    return {
      figures:
        `${byName.size} secrets in ${(logs.length / 1024).toFixed(0)} KB of logs, ${answers.length} answers, ` +
        `${(database.length / 1024).toFixed(0)} KB of database: hits ${hits.length}`,
      breaches: [
        ...hits,
        ...expectThat(
          receiver.received.some(({ authenticated }) => authenticated),
          'nothing was delivered',
        ),
        ...expectThat(logs.includes('webhook.attempt'), 'the log has no line of an attempt'),
        ...expectThat(generated.size >= 9, 'the service made fewer secrets than expected'),
      ],
    };
  },
};

/** Each row of each table as text, with bytes in hexadecimal. */
async function everything({ db }: Stage): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(db);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
