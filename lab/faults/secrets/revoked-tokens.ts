import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { accessToken, ask } from '../../../test/support/http.js';
import type { Child } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Fault, Run } from '../fault.js';

const DAY = 86_400;
const HOUR = 3_600;

const replicas = (stage: Stage, ttlSeconds: number) =>
  Promise.all([1, 2].map(() => stage.start('api --no-sender', [], { ACCESS_TOKEN_TTL_SECONDS: String(ttlSeconds) })));

/** The status of a request with the token at each replica. */
const statuses = (apis: readonly Child[], token: string) =>
  Promise.all(apis.map(async (api) => (await ask(api.url, 'GET', '/api/v1/users', { token })).status));

/** Uses a deleted operator's token on processes that restarted with other token lifetimes. */
async function run({ stage }: Run) {
  const before = await replicas(stage, DAY);
  const [api] = before;
  if (!api) throw new Error('no replica');
  const first = await accessToken(api.url, operatorLogin);
  const login = { email: 'second@malote.test', password: 'second password' };
  const profile = { name: 'Second', phone: '+55 11 91234-5678', role: 'operator' };
  const user = await ask(api.url, 'POST', '/api/v1/users', { token: first, body: { ...login, ...profile } });
  const { id }: { id?: string } = JSON.parse(user.text);
  const second = await accessToken(api.url, login);
  const admitted = await statuses(before, second);
  await ask(api.url, 'DELETE', `/api/v1/users/${id}`, { token: first });
  await sleep(1_000);
  const answersOf = new Map([[`${DAY} s, deleted a second ago`, await statuses(before, second)]]);
  await Promise.all(before.map((child) => child.signal('SIGTERM')));
  // Moves the deletion 20 hours into the past.
  await sql`update accounts set epoch_changed_at = epoch_changed_at - interval '20 hours' where id = ${id}`.execute(
    stage.db,
  );
  for (const ttlSeconds of [HOUR, DAY]) {
    const after = await replicas(stage, ttlSeconds);
    answersOf.set(`${ttlSeconds} s, deleted 20 h ago`, await statuses(after, second));
    await Promise.all(after.map((child) => child.signal('SIGTERM')));
  }
  const short = await replicas(stage, 1);
  answersOf.set('1 s, older by then', await statuses(short, first));
  return {
    figures: [...answersOf].map(([when, answers]) => `${when}: ${answers.join(' ')}`).join('; '),
    breaches: [
      ...expectThat(
        admitted.every((status) => status === 200),
        'the token was not good before',
      ),
      ...[...answersOf].flatMap(([when, answers]) =>
        expectThat(
          answers.every((status) => status === 401),
          `the token is let in (${when})`,
        ),
      ),
    ],
  };
}

export const revokedTokens: Fault = {
  what: 'tokens that ended, lifetime changed, restart',
  promise: '401 on every replica, whatever the lifetime before or after',
  run,
};
