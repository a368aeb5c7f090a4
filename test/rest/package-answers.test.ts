import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { at, atPackage, bodyOf, movement, newPackage, newWaitingPackage, resultsOf } from '../operator/fixtures.js';
import { served } from '../support/http.js';
import { sharedService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await sharedService();
const operator = service.operator;
const ana = await service.customer();

const NEAR = 'Rua dos Pinheiros, 489 - Pinheiros, São Paulo - SP, 05422-000';
const FAR = 'Rua XV de Novembro, 100 - Centro, Santos - SP';

type Correction = components['schemas']['AnswerInput'];

const answer = (key: string, body: Correction) =>
  ana.rest.POST('/api/v1/packages/{loggi_key}/answers', { ...atPackage(key), body });
const complete = (id: string, body = {}) =>
  bodyOf(operator.operator.POST('/operator/v1/tasks/{id}/completion', { ...at(id), body }));

const waiting = () => newWaitingPackage(operator, ana);

/** The order of a package, with its version. */
async function orderOf(key: string) {
  const { order_id: id } = await bodyOf(operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
  const { data, response } = await ana.rest.GET('/api/v1/orders/{id}', at(id));
  if (!data) throw new Error(`there is no order of ${key}`);
  return { order: data, etag: response.headers.get('etag') };
}

describe('POST /api/v1/packages/{loggi_key}/answers', () => {
  test('puts a corrected phone and instructions on the package, and gives its order a new version', async () => {
    const key = await waiting();
    const before = await orderOf(key);
    const body = { phone: '+55 11 90000-1111', instructions: 'Portão azul.' };
    const { data, response } = await answer(key, body);
    const stored = { id: expect.any(String), loggi_key: key, state: 'open', created_at: expect.any(String) };
    expect([response.status, data]).toEqual([201, { ...stored, ...body, applied: ['phone', 'instructions'] }]);
    expect(response.headers.get('location')).toBe(`/api/v1/packages/${key}/answers/${data?.id}`);
    const { order, etag } = await orderOf(key);
    expect(order.packages[0]).toEqual({
      ...before.order.packages[0],
      recipient: { name: 'Bruno Lima', phone: body.phone },
      instructions: body.instructions,
    });
    expect([before.etag, etag]).toEqual(['"2"', '"3"']);
    const params = { path: { loggi_key: key, id: data?.id ?? '' } };
    expect(await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}/answers/{id}', { params }))).toEqual(data);
  });

  test('applies an address in the same municipality; price, route and promised date stay', async () => {
    const key = await waiting();
    const before = await orderOf(key);
    const address = { address: NEAR, complement: 'ap 21' };
    const { data } = await answer(key, { address });
    expect(data).toMatchObject({ address, applied: ['address'] });
    const { order } = await orderOf(key);
    const [was, is] = [before.order.packages[0], order.packages[0]];
    expect(is).toMatchObject({ address, waypoint: was?.waypoint, promised_date: was?.promised_date });
    expect([order.pricing, order.route]).toEqual([before.order.pricing, before.order.route]);
    const history = await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}/address-changes', atPackage(key)));
    const change = { changed_by: ana.id, from: was?.address, to: address };
    expect(history.data).toEqual([{ id: expect.any(String), ...change, created_at: expect.any(String) }]);
  });

  test('leaves an address in another municipality to the operator, who sees it in a task', async () => {
    const key = await waiting();
    const before = await orderOf(key);
    const { data } = await answer(key, { address: { address: FAR }, phone: '+55 13 90000-1111' });
    expect(data).toMatchObject({ address: { address: FAR }, applied: ['phone'], state: 'open' });
    const { order } = await orderOf(key);
    expect(order.packages[0]).toMatchObject({ address: before.order.packages[0]?.address });
    const query = { loggi_key: key };
    const tasks = await bodyOf(operator.operator.GET('/operator/v1/tasks', { params: { query } }));
    expect(tasks.data).toMatchObject([{ id: data?.id, address: { address: FAR }, applied: ['phone'] }]);
  });

  test('refuses an address that cannot be placed, and a body without any change', async () => {
    const key = await waiting();
    const nowhere = { address: { address: 'lugar nenhum' } };
    expect(refusal(await answer(key, nowhere))).toBe('400 VALIDATION_ERROR address.address');
    expect(refusal(await answer(key, {}))).toBe('400 VALIDATION_ERROR body');
    expect((await orderOf(key)).etag).toBe('"2"');
  });

  test('is refused while the package waits for nothing', async () => {
    const note = 'Ring twice.';
    const key = await newPackage(ana);
    expect(refusal(await answer(key, { note }))).toBe('409 CONFLICT');
    const moved = await waiting();
    await resultsOf(operator, movement(moved, { status_code: 11 }));
    expect(refusal(await answer(moved, { note }))).toBe('409 CONFLICT');
  });

  test('lets ten answers wait for the operator, and takes another when one is done', async () => {
    const key = await waiting();
    const send = () => served(() => answer(key, { note: 'Ring twice.' }));
    const sent = await Promise.all(Array.from({ length: 12 }, send));
    expect(sent.map(({ response }) => response.status).sort()).toEqual([...Array(10).fill(201), 409, 409]);
    await complete(sent.find(({ data }) => data)?.data?.id ?? '');
    expect((await answer(key, { note: 'Ring twice.' })).response.status).toBe(201);
  });
});

test('the shipper reads what the operator did, newest answer first', async () => {
  const key = await waiting();
  const first = await bodyOf(answer(key, { note: 'One.' }));
  const second = await bodyOf(answer(key, { note: 'Two.' }));
  await complete(first.id, { note: 'Out again tomorrow.' });
  const list = await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}/answers', atPackage(key)));
  const done = { state: 'done', completed_at: expect.any(String), completion_note: 'Out again tomorrow.' };
  expect(list.data).toEqual([second, { ...first, ...done }]);
});
