import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Stage } from '../../../test/support/processes/stage.js';
import { startReceiver } from '../../../test/support/receiver.js';
import { expectThat, type Fault } from '../fault.js';
import { exercise } from './canary-calls.js';

/** Every secret that the service is told or tells, each one that can be found again. */
export interface Canaries {
  operatorPassword: string;
  customerPassword: string;
  newPassword: string;
  wrongPassword: string;
  webhookUser: string;
  webhookPassword: string;
  /** Only known once the service has made them. */
  made: Map<string, string>;
}

const canary = (): string => `c4n4ry-${randomBytes(12).toString('hex')}`;

/** The ways in which a secret may be written, and the secrets that follow from it. */
function formsOf(secret: string): string[] {
  const bare = secret.replace(/^whsec_/, '');
  const bytes = [Buffer.from(secret), Buffer.from(bare, 'base64')];
  return [
    bare,
    encodeURIComponent(bare),
    ...bytes.flatMap((each) => [each.toString('hex'), each.toString('base64'), each.toString('base64url')]),
  ].filter((form) => form.length >= 12);
}

/** Where each secret was found, by its name. */
function findIn(place: string, text: string, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => `${name} stands in ${place}`);
}

export const canaries: Fault = {
  number: 39,
  name: 'canary secrets everywhere',
  promise: 'never in logs, errors, or plain in the database: hits 0',
  run: async ({ stage }) => {
    const known: Canaries = {
      operatorPassword: canary(),
      customerPassword: canary(),
      newPassword: canary(),
      wrongPassword: canary(),
      webhookUser: 'malote',
      webhookPassword: canary(),
      made: new Map(),
    };
    const receiver = await startReceiver({
      authority: stage.authority,
      username: known.webhookUser,
      password: known.webhookPassword,
    });
    const env = { OPERATOR_PASSWORD: known.operatorPassword, LOG_LEVEL: 'trace' };
    const api = await stage.start('api --no-sender', [receiver.port], env);
    const worker = await stage.start('worker', [receiver.port], env);
    const answers = await exercise({ stage, api, worker, receiver, known });
    await Promise.all([api.signal('SIGTERM'), worker.signal('SIGTERM')]);
    await receiver.close();

    const basic = Buffer.from(`${known.webhookUser}:${known.webhookPassword}`).toString('base64');
    const { made, webhookUser: _, ...passwords } = known;
    const secrets = new Map<string, string>([
      ...Object.entries(passwords),
      ...made,
      ['basic', basic],
      ['keyRing', stage.ring[0].secret.toString('base64url')],
    ]);
    const database = await everything(stage);
    const logs = `${api.output()}${worker.output()}`;
    const hits = [
      ...findIn('the log', logs, secrets),
      ...findIn('the database', database, secrets),
      ...answers.flatMap(({ call, text }) => findIn(`the answer to ${call}`, text, secrets)),
    ];
    return {
      figures:
        `${secrets.size} secrets in ${(logs.length / 1024).toFixed(0)} KB of logs, ${answers.length} answers, ` +
        `${(database.length / 1024).toFixed(0)} KB of database: hits ${hits.length}`,
      breaches: [
        ...hits,
        ...expectThat(
          receiver.received.some(({ authenticated }) => authenticated),
          'nothing was delivered',
        ),
        ...expectThat(logs.includes('webhook attempt'), 'the log does not tell of attempts'),
        ...expectThat(made.size >= 5, 'the service made fewer secrets than expected'),
      ],
    };
  },
};

/** Each row of each table, as text; bytes stand in it in hexadecimal. */
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
