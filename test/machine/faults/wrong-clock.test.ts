import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { orderBody } from '../../support/bodies.js';
import { ask, must, signedIn } from '../../support/http.js';
import { probesOf } from '../../support/processes/child.js';
import { newEndpoints } from '../../support/processes/endpoints.js';
import { newCustomer } from '../../support/processes/orders.js';
import { newTraffic } from '../../support/processes/traffic.js';
import { drained } from '../../support/queue.js';
import { waitFor } from '../../support/receiver.js';
import { stage, stageForEach } from './stage-for-each.js';

stageForEach();

const MINUTE_MS = 60_000;
const DAYS = 24 * 60;

/** Settings of a process whose clock is `minutes` ahead. */
function ahead(minutes: number): NodeJS.ProcessEnv {
  const code = `
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...from) { if (from.length > 0) super(...from); else super(Real.now() + ${minutes * MINUTE_MS}); }
      static now() { return Real.now() + ${minutes * MINUTE_MS}; }
    };`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

const WRONG = "not ready: this machine's clock is more than 15 minutes from the database's\n";
const readyz = async (child: Parameters<typeof probesOf>[0]) => (await ask(probesOf(child), 'GET', '/readyz')).text;

test.each([100 * DAYS, -100 * DAYS])(
  'an API whose clock is %d minutes off is not ready, but its orders have the right time',
  async (minutes) => {
    const customer = await newCustomer(stage, await stage.openReceiver());
    const api = await stage.start('api --no-sender', [], ahead(minutes));
    expect(await readyz(api)).toBe(WRONG);
    const { rest } = await signedIn(api.url, customer);
    const { id } = must(await rest.POST('/api/v1/orders', { params: { header: {} }, body: orderBody() }));
    expect(must(await rest.GET('/api/v1/orders/{id}', { params: { path: { id } } })).id).toBe(id);
    const { rows } = await sql<{ minutes: number }>`
    select abs(extract(epoch from now()) / 60
      - ('x' || substr(replace(${id}, '-', ''), 1, 12))::bit(48)::bigint / 60000.0)::float8 as minutes`.execute(
      stage.db,
    );
    expect(rows[0]?.minutes).toBeLessThan(15);
  },
);

test('a worker 25 days ahead is not ready, logs it once and takes no lane; another worker sends at once', async () => {
  const receiver = await stage.openReceiver();
  const endpoints = await newEndpoints(stage, receiver, { endpoints: 3 });
  const astray = await stage.start('worker', [receiver.port], ahead(25 * DAYS));
  expect(await readyz(astray)).toBe(WRONG);
  await newTraffic(stage.db).move(endpoints);
  await stage.start('worker', [receiver.port]);
  await drained(stage.db);
  expect(receiver.arrivals).toHaveLength(3);
  expect(astray.output().match(/"level":"error"/g)).toHaveLength(1);
  const { text } = await ask(probesOf(astray), 'GET', '/metrics');
  expect(text).toMatch(/^malote_not_ready\{reason="clock"\} 1$/m);
  expect(text).toMatch(/^malote_webhook_attempts_total\{outcome="acknowledged"\} 0$/m);
});

test('a clock that is ten minutes off is tolerated', async () => {
  const api = await stage.start('api', [], ahead(-10));
  await waitFor(async () => (await readyz(api)) === 'ready\n', 'ready');
});
