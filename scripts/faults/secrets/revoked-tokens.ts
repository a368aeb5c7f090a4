import { sql } from 'kysely';
import type { Child } from '../../../test/support/processes/child.js';
import { operatorLogin, type Stage } from '../../../test/support/processes/stage.js';
import { expectThat, type Fault, type Run } from '../fault.js';

const DAY = 86_400;
const HOUR = 3_600;

async function ask(api: Child, method: string, path: string, token?: string, body?: object) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${api.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  const fields: { id?: string; access_token?: string } = text ? JSON.parse(text) : {};
  return { status: answer.status, ...fields };
}

const signIn = async (api: Child, login: { email: string; password: string }) =>
  (await ask(api, 'POST', '/auth/login', undefined, login)).access_token ?? '';

const replicas = (stage: Stage, ttlSeconds: number) =>
  Promise.all([1, 2].map(() => stage.start('api --no-sender', [], { ACCESS_TOKEN_TTL_SECONDS: String(ttlSeconds) })));

/** Statuses of a request with the token at each replica. */
const statuses = (apis: readonly Child[], token: string) =>
  Promise.all(apis.map(async (api) => (await ask(api, 'GET', '/api/v1/users', token)).status));

/** A deleted operator's token, on processes that were started again with other lifetimes. */
async function run({ stage }: Run) {
  const before = await replicas(stage, DAY);
  const [api] = before;
  if (!api) throw new Error('no replica');
  const first = await signIn(api, operatorLogin);
  const login = { email: 'second@malote.test', password: 'second password' };
  const profile = { name: 'Second', phone: '+55 11 91234-5678', role: 'operator' };
  const { id } = await ask(api, 'POST', '/api/v1/users', first, { ...login, ...profile });
  const second = await signIn(api, login);
  const admitted = await statuses(before, second);
  await ask(api, 'DELETE', `/api/v1/users/${id}`, first);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const seen = new Map([[`${DAY} s, deleted a second ago`, await statuses(before, second)]]);
  await Promise.all(before.map((child) => child.signal('SIGTERM')));
  // As if the rest had happened 20 hours later.
  await sql`update accounts set epoch_changed_at = epoch_changed_at - interval '20 hours' where id = ${id}`.execute(
    stage.db,
  );
  for (const ttlSeconds of [HOUR, DAY]) {
    const after = await replicas(stage, ttlSeconds);
    seen.set(`${ttlSeconds} s, deleted 20 h ago`, await statuses(after, second));
    await Promise.all(after.map((child) => child.signal('SIGTERM')));
  }
  const short = await replicas(stage, 1);
  seen.set('1 s, older by then', await statuses(short, first));
  return {
    figures: [...seen].map(([when, answers]) => `${when}: ${answers.join(' ')}`).join('; '),
    breaches: [
      ...expectThat(
        admitted.every((status) => status === 200),
        'the token was not good before',
      ),
      ...[...seen].flatMap(([when, answers]) =>
        expectThat(
          answers.every((status) => status === 401),
          `the token is let in (${when})`,
        ),
      ),
    ],
  };
}

export const revokedTokens: Fault = {
  number: 50,
  name: 'tokens that ended, lifetime changed, restart',
  promise: '401 on every replica, whatever the lifetime before or after',
  run,
};
