import { expect, test } from '@jest/globals';
import { atPackage, bodyOf, movement, placeOrder, record } from '../operator/fixtures.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Requests of shippers at the console: the facts that an operator sees with them, and their completion. */

const service = await ownService();
const { operator } = service.operator;
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

type RequestBody = NonNullable<Parameters<typeof ask>[1]>;
const ask = (
  key: string,
  body: { kind: 'inquiry'; problem: 'not_received' | 'late'; note?: string } | { kind: 'stop_and_return' },
) => bodyOf(ana.rest.POST('/api/v1/packages/{loggi_key}/requests', { ...atPackage(key), body }));

/** Makes a request about a package with this history, and opens the page of its task. */
async function newRequest(statuses: readonly [object, ...object[]], body: RequestBody) {
  const [parcel] = (await placeOrder(ana)).packages;
  const key = parcel?.loggi_key ?? '';
  for (const each of statuses) await record(service.operator, movement(key, each));
  const { id } = await ask(key, body);
  return { key, id, page: `/console/tasks/${id}`, parcel };
}

const requestOf = (key: string, id: string) =>
  bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}/requests/{id}', { params: { path: { loggi_key: key, id } } }));
const countOf = async (key: string) =>
  (await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)))).movement_count;

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('an inquiry shows its problem beside address, recipient, proof and history, and is completed by a note', async () => {
  const note = 'Ninguém viu o entregador.';
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821' };
  const statuses = [{ status_code: 11 }, { status_code: 5, proof }] as const;
  const { key, id, page, parcel } = await newRequest(statuses, { kind: 'inquiry', problem: 'not_received', note });
  const listed = await visit.get('/console/tasks?state=open&kind=inquiry');
  expect(listed.text).toContain(`href="${page}"`);
  expect(textOf(listed.text)).toMatch(/Consulta Não foi recebido/);
  const text = textOf((await visit.get(page)).text);
  for (const shown of [
    'Consulta',
    'Não foi recebido',
    note,
    parcel?.recipient.name,
    parcel?.recipient.phone,
    'Rua dos Pinheiros, 498',
    'Marta Lima',
  ])
    expect(text).toContain(shown);
  expect(text).toMatch(/Entregue .*Saiu para entrega .*Registrado /);
  const before = await countOf(key);
  expect(visit.held(`${page}/completion`)).not.toHaveProperty('status_code');
  await visit.submit(`${page}/completion`, { note: 'Está com a portaria.' });
  expect(visit.page.path).toBe('/console/tasks?done=completed');
  expect(await requestOf(key, id)).toMatchObject({ state: 'done', completion_note: 'Está com a portaria.' });
  expect(await countOf(key)).toBe(before);
});

test('a return is completed together with its movement, or not at all', async () => {
  const tried = { status_code: 18, attempt: { outcome: 'refused' } };
  const { key, id, page } = await newRequest([tried], { kind: 'stop_and_return' });
  expect(textOf((await visit.get(page)).text)).toMatch(/Destinatário ausente .* · Recusado/);
  expect(visit.held(`${page}/completion`)).toMatchObject({ status_code: '7' });
  const moved = { note: 'Está voltando.' };
  const refused = await visit.submit(`${page}/completion`, { ...moved, city: 'Santos', state: 'X' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Está voltando.')]);
  const stranger = (await placeOrder(ana)).packages[0]?.loggi_key ?? '';
  expect(
    (await visit.submit(`${page}/completion`, { ...moved, state: '', city: '', loggi_key: stranger })).status,
  ).toBe(400);
  expect([(await requestOf(key, id)).state, await countOf(key), await countOf(stranger)]).toEqual(['open', 2, 1]);

  await visit.get(page);
  await visit.submit(`${page}/completion`, moved);
  expect(visit.page.path).toBe('/console/tasks?done=completed');
  const done = await requestOf(key, id);
  expect(done).toMatchObject({ state: 'done', completion_note: 'Está voltando.' });
  const { data } = await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(key)));
  expect(data[0]).toMatchObject({ id: done.completed_by_movement, status_code: 7 });
});

test('only one of two operators who complete a request at once moves the package', async () => {
  const { key, page } = await newRequest([{ status_code: 18 }], { kind: 'stop_and_return' });
  const other = new Visitor(service.url);
  await other.signIn(operatorLogin);
  for (const each of [visit, other]) await each.get(page);
  const both = [visit, other].map((each) => each.submit(`${page}/completion`, { status_code: '7' }));
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await countOf(key)).toBe(3);
});
