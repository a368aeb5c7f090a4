import { expect, test } from '@jest/globals';
import { movement, newPackages, record } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The first page of the console: the steps of a new service, and the figures of the day. */

const service = await ownService();
const { operator } = service.operator;
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);
const start = async () => (await visit.get('/console')).text;

test('a new console shows four steps with links until all are done', async () => {
  const steps = async () => (await start()).match(/class="chip (completed|created)">(Feito|A fazer)/g)?.length ?? 0;
  const done = async () => (await start()).match(/class="chip completed">Feito/g)?.length ?? 0;
  expect([await steps(), await done()]).toEqual([4, 0]);
  for (const path of ['calendars', 'service-areas', 'rate-cards', 'users', 'webhook-endpoints'])
    expect(visit.page.text).toContain(`<a href="/console/${path}">`);
  must(await operator.POST('/operator/v1/calendars', { body: { saturdays: false } }));
  expect(await done()).toBe(0);
  must(await operator.POST('/operator/v1/service-areas', { body: { areas: [{ states: ['SP'] }] } }));
  expect(await done()).toBe(1);
  const { data } = must(await operator.GET('/operator/v1/rate-cards'));
  const { version: _, valid_from: __, created_at: ___, ...card } = data[0] ?? {};
  must(await operator.POST('/operator/v1/rate-cards', { body: card as never }));
  const ana = await service.customer();
  expect(await done()).toBe(3);
  const endpoint = { user_id: ana.id, url: 'https://127.0.0.1:8443/hook', username: 'malote', password: 'a password' };
  must(await operator.POST('/operator/v1/webhook-endpoints', { body: endpoint }));
  expect(await steps()).toBe(0);
});

test('the first page counts packages by status, base, customer, reason and days late, each beside yesterday', async () => {
  const ana = await service.customer();
  const [late = '', absent = ''] = await newPackages(ana, 3);
  await service.db.updateTable('packages').set({ promised_date: '2026-01-05' }).where('loggi_key', '=', late).execute();
  await record(service.operator, movement(late, { status_code: 17, location: { city: 'Santos', state: 'SP' } }));
  await record(service.operator, movement(absent, { status_code: 18 }));
  const text = await start();
  expect(text).toMatch(
    /href="\/console\/packages\?late=true"><strong>1<\/strong> Atrasados<span class="beside">ontem 0/,
  );
  expect(text).toMatch(/<strong>1<\/strong> A coletar/);
  expect(text).toMatch(/status_code=17&amp;open=true">Em uma base<\/a>.*?data-label="Hoje">1</s);
  expect(text).toMatch(/>8 ou mais<.*?data-label="Hoje">1</s);
  expect(text).toMatch(/Ninguém atendeu.*?data-label="Hoje">1</s);
  expect(text).toMatch(/Santos – SP.*?data-label="Nas bases"><span>1 /s);
  expect(text).toContain(`/console/packages?open=true&amp;user_id=${ana.id}`);
});

test('plots of past days have axes and values, and a table beside them', async () => {
  await service.db
    .insertInto('day_results')
    .values({
      date: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10),
      packages: 40,
      delivered: 38,
      on_time: 30,
      first_attempt: 19,
    })
    .execute();
  const text = await start();
  expect(text).toMatch(/No prazo<\/figcaption>.*?>50 %<\/text>.*?>100 %<\/text>.*?<text class="value"[^>]*>75</s);
  expect(text).toMatch(/<td class="number" data-label="Na primeira tentativa">50 %/);
});
