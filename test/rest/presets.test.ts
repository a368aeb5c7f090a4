import { expect, test } from '@jest/globals';
import { bodyOf, refusalOf } from '../operator/fixtures.js';
import { Visitor } from '../pages/visitor.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';

/** Pickups and boxes that an account keeps under names, by REST and in the form of a new order. */

const service = await ownService();
const PATH = '/api/v1/presets';
const ADDRESS = 'Av. Paulista, 1578, São Paulo - SP, 01310-200';

const pickup = { name: 'Loja', address: { address: ADDRESS, complement: 'loja 2' } };
const sender = { name: 'Loja Paulista', phone: '+55 11 3333-4444' };
const box = { name: 'Caixa P', width: 20, height: 10.5, length: 30 };

test('an account replaces and reads both of its lists, and sees no list of others', async () => {
  const [ana, bob] = [await service.customer(), await service.customer()];
  expect(await bodyOf(ana.rest.GET(PATH))).toEqual({ pickups: [], boxes: [] });
  const body = { pickups: [{ ...pickup, sender }, pickup], boxes: [box] };
  expect(await bodyOf(ana.rest.PUT(PATH, { body }))).toEqual(body);
  expect(await bodyOf(ana.rest.GET(PATH))).toEqual(body);
  expect(await bodyOf(bob.rest.GET(PATH))).toEqual({ pickups: [], boxes: [] });
});

test('each list has at most 20 entries', async () => {
  const { rest } = await service.customer();
  for (const list of [
    { pickups: Array(21).fill(pickup), boxes: [] },
    { pickups: [], boxes: Array(21).fill(box) },
  ])
    expect((await refusalOf(rest.PUT(PATH, { body: list })))[0]).toBe(400);
});

test('a list that somebody else has changed meanwhile is not overwritten: the answer is 412', async () => {
  const { rest } = await service.customer();
  const put = (version: number, boxes: (typeof box)[]) =>
    rest.PUT(PATH, { params: { header: { 'If-Match': `"${version}"` } }, body: { pickups: [], boxes } });
  const answers = await Promise.all([put(0, [box]), put(0, [])]);
  expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 412]);
  expect((await put(1, [box])).response.headers.get('etag')).toBe('"2"');
});

test('pickups and boxes are deleted with the account', async () => {
  const ana = await service.customer();
  must(await ana.rest.PUT(PATH, { body: { pickups: [pickup], boxes: [box] } }));
  const at = { params: { path: { id: ana.id } } };
  await service.operator.rest.DELETE('/api/v1/users/{id}', at);
  await service.operator.operator.POST('/operator/v1/users/{id}/erasure', at);
  const rows = service.db.selectFrom('presets').selectAll().where('account_id', '=', ana.id);
  expect(await rows.execute()).toEqual([]);
});

test('the page saves and removes pickups and boxes without a script, and a new order can use them', async () => {
  const ana = await service.customer();
  const visitor = new Visitor(service.url, { 'Accept-Language': 'en' });
  await visitor.signIn({ email: ana.email, password: PASSWORD });
  const PAGE = '/envios/presets';
  await visitor.get('/envios/new-order');
  expect(visitor.page.text).not.toContain('saved_pickup');
  await visitor.get(PAGE);
  const place = { pickup_name: 'Loja', address: ADDRESS, complement: 'loja 2' };
  const half = await visitor.submit(`${PAGE}/pickups`, { ...place, 'sender.phone': sender.phone });
  expect(half.status).toBe(400);
  await visitor.submit(`${PAGE}/pickups`, { ...place, 'sender.name': sender.name, 'sender.phone': sender.phone });
  const wrong = await visitor.submit(`${PAGE}/boxes`, {
    box_name: 'Caixa P',
    width: 'x',
    height: '10,5',
    length: '30',
  });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('id="width-error"')]);
  await visitor.submit(`${PAGE}/boxes`, { box_name: 'Caixa P', width: '20', height: '10,5', length: '30' });
  expect(must(await ana.rest.GET(PATH))).toEqual({ pickups: [{ ...pickup, sender }], boxes: [box] });

  await visitor.get('/envios/new-order');
  const choice = { saved_pickup: '0', 'saved_box.0': '0', 'packages.0.recipient.name': 'Maria', next: 'use' };
  await visitor.submit('/envios/new-order', choice);
  expect(visitor.held('/envios/new-order')).toMatchObject({
    'pickups.0.address.address': ADDRESS,
    'pickups.0.address.complement': 'loja 2',
    'pickups.0.sender.name': sender.name,
    'packages.0.dimensions.width': '20',
    'packages.0.dimensions.height': '10,5',
    'packages.0.dimensions.length': '30',
    'packages.0.recipient.name': 'Maria',
  });

  await visitor.get(PAGE);
  await visitor.submit(`${PAGE}/pickups/removal`);
  await visitor.submit(`${PAGE}/boxes/removal`);
  expect(must(await ana.rest.GET(PATH))).toEqual({ pickups: [], boxes: [] });
});
