import { expect, test } from '@jest/globals';
import { movement, record } from '../operator/fixtures.js';
import { endpointBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { packageMaker } from './tracked.js';
import { Visitor } from './visitor.js';

/** One word for each status: recipient, shipper and operator read the same word, in both languages. */

const service = await ownService();
const newPackage = await packageMaker(service);
const operator = new Visitor(service.url);
await operator.signIn(operatorLogin);

const STATUSES = '/operator/v1/package-statuses';

/** The word for the package's status on the pages of recipient, shipper and operator. */
async function wordsOf({ key, owner, path }: Awaited<ReturnType<typeof newPackage>>, language: 'pt-BR' | 'en') {
  const shipper = new Visitor(service.url, { 'Accept-Language': language });
  await shipper.signIn({ email: owner.email, password: PASSWORD });
  const chip = (text: string) => /class="chip [^"]*">([^<]+)</.exec(text)?.[1];
  return [
    /<h1[^>]*>([^<]+)</.exec((await new Visitor(service.url, { 'Accept-Language': language }).get(path)).text)?.[1],
    chip((await shipper.get(`/envios/packages/${key}`)).text),
    chip((await operator.get(`/console/packages/${key}?lang=${language}`)).text),
  ];
}

test('each status of the catalogue has one word', async () => {
  const { data } = must(await service.operator.operator.GET(STATUSES, { params: { query: { page_size: 100 } } }));
  for (const { code, public_title_pt_br: portuguese, public_title_en: english } of data) {
    const carried = await newPackage();
    if (code !== 1) await carried.move(code);
    expect([code, await wordsOf(carried, 'pt-BR')]).toEqual([code, [portuguese, portuguese, portuguese]]);
    expect([code, await wordsOf(carried, 'en')]).toEqual([code, [english, english, english]]);
  }
});

test('a status that the operator adds has its own word, or else its name', async () => {
  const body = { high_level_status: 'Retido', description: 'Aguarda a alfândega.', stage: 'processing' } as const;
  const titles = { public_title_pt_br: 'Na alfândega', public_title_en: 'At customs' };
  must(await service.operator.operator.POST(STATUSES, { body: { ...body, code: 41, ...titles } }));
  must(await service.operator.operator.POST(STATUSES, { body: { ...body, code: 42 } }));
  const carried = await newPackage();
  await carried.move(41);
  expect(await wordsOf(carried, 'en')).toEqual(['At customs', 'At customs', 'At customs']);
  await carried.move(42);
  expect(await wordsOf(carried, 'pt-BR')).toEqual(['Retido', 'Retido', 'Retido']);
  const half = { ...body, code: 43, public_title_en: 'At customs' };
  const { error } = await service.operator.operator.POST(STATUSES, { body: half });
  expect(error?.error.details).toMatchObject([{ field: 'public_title_pt_br', code: 'required' }]);
});

test('the steps of a package do not go back when it returns to a base', async () => {
  const { move, path, key } = await newPackage();
  const step = async () =>
    /aria-current="step">([^<]+)</.exec((await new Visitor(service.url).get(path)).text)?.[1] ?? 'none';
  await move(3);
  expect(await step()).toBe('A caminho');
  await move(11);
  await move(17);
  expect(await step()).toBe('Em entrega');
  await record(service.operator, movement(key, { status_code: 5 }));
  expect(await step()).toBe('Entregue');
});

test('a webhook that fails is not shown as one that works', async () => {
  const { owner } = await newPackage();
  const shipper = new Visitor(service.url);
  await shipper.signIn({ email: owner.email, password: PASSWORD });
  const made = await service.operator.operator.POST('/operator/v1/webhook-endpoints', { body: endpointBody(owner.id) });
  expect((await shipper.get('/envios/webhook-endpoints')).text).toContain('class="chip completed">Ativo<');
  const failing = service.db.updateTable('webhook_endpoints').set({ failing_since: new Date() });
  await failing.where('id', '=', must(made).endpoint.id).execute();
  expect((await shipper.get('/envios/webhook-endpoints')).text).toContain('class="chip problem">Ativo, com falhas<');
});
