import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { at, bodyOf, movement, placeOrder, resultsOf, soon } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await ownService({ PUBLIC_URL: 'https://malote.example' });
const { db } = service;
const customer = await service.customer();

const PREFIX = 'https://malote.example/t/';

/** Creates a package. Answers its key and the token of its link. */
async function newPackage(other: object = {}) {
  const order = await bodyOf(customer.rest.POST('/api/v1/orders', { body: orderBody(other) }));
  const [parcel] = order.packages;
  return { key: parcel?.loggi_key ?? '', orderId: order.id, token: parcel?.tracking_url?.slice(PREFIX.length) ?? '' };
}

const track = (token: string) =>
  service.anonymous.rest.GET('/api/v1/tracking/{token}', { params: { path: { token } } });

test('tracking_url is in every answer that shows a package, by REST, GraphQL and the operator’s interface', async () => {
  const order = await placeOrder(customer, 2);
  const urls = order.packages.map(({ tracking_url }) => tracking_url);
  expect(new Set(urls).size).toBe(2);
  for (const url of urls) expect(url).toMatch(/^https:\/\/malote\.example\/t\/[\w-]{52}$/);
  const again = await bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(order.id)));
  expect(again.packages.map(({ tracking_url }) => tracking_url)).toEqual(urls);
  const query = { order_id: order.id };
  const { data } = await bodyOf(service.operator.operator.GET('/operator/v1/packages', { params: { query } }));
  expect(data.map(({ tracking_url }) => tracking_url).sort()).toEqual([...urls].sort());
});

describe('GET /api/v1/tracking/{token}', () => {
  test('shows a new package to everybody with the link, and no data of people', async () => {
    const { token } = await newPackage();
    const { data, response } = await track(token);
    const description = 'Etiqueta criada, pronta para coleta.';
    const public_title = { pt_br: 'Registrado', en: 'Registered' };
    const added = { code: 1, high_level_status: 'Adicionado', public_title, description };
    expect(data).toEqual({
      tracking_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{12}$/),
      stage: 'created',
      sender_name: 'Ana Souza',
      recipient_initials: 'B. L.',
      destination: { city: 'São Paulo', state: 'SP' },
      promised_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      delivery_window: { from: expect.any(String), to: expect.any(String) },
      history: [{ ...added, happened_at: expect.any(String), location: { city: 'São Paulo', state: 'SP' } }],
    });
    const text = JSON.stringify(data);
    for (const hidden of ['Bruno', 'Lima', '98888', 'Pinheiros', 'ap 12', 'Paulista'])
      expect(text).not.toContain(hidden);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('the current status comes first, then the others by the time at which they happened', async () => {
    const { key, token } = await newPackage();
    const earlier = new Date().toISOString();
    const location = { city: 'Campinas', state: 'SP' };
    await resultsOf(service.operator, movement(key, { status_code: 17, location, happened_at: soon(1000) }));
    await resultsOf(service.operator, movement(key, { status_code: 14, happened_at: earlier }));
    const { stage, history } = await bodyOf(track(token));
    expect([stage, history.map(({ code }) => code)]).toEqual(['processing', [17, 14, 1]]);
    expect(history.map((each) => each.location)).toEqual([location, undefined, { city: 'São Paulo', state: 'SP' }]);
  });

  test('the words that a page needs for a status are there: the label of a reason, the agency', async () => {
    const { key, token } = await newPackage();
    const reason = { reason_label: 'Endereço incompleto', reason_description: 'Ligar para 11 98888-7777.' };
    await resultsOf(service.operator, movement(key, { status_code: 6, action_required: reason }));
    const standing = await bodyOf(track(token));
    expect(standing.action_required).toEqual({ reason_label: 'Endereço incompleto' });
    expect(JSON.stringify(standing)).not.toContain('Ligar');
    const agency = { address: 'Rua Augusta, 1500', city: 'São Paulo', state: 'SP', postal_code: '01304001' };
    await resultsOf(service.operator, movement(key, { status_code: 10, pickup_agency: agency }));
    const waiting = await bodyOf(track(token));
    expect([waiting.pickup_agency, waiting.action_required]).toEqual([agency, undefined]);
  });

  test.each([
    ['Bruno Lima', 'B. L.'],
    ['maria da conceição dos santos', 'M. S.'],
    ['Zé', 'Z.'],
    ['  Élio   Ávila ', 'É. Á.'],
    ['李小龍', '李.'],
    ['(Recepção) Loja 3', 'R. L.'],
    ['123', undefined],
  ])('of the name %p only %p is shown', async (name, initials) => {
    const { token } = await newPackage({ recipient: { ...packageBody.recipient, name } });
    expect((await bodyOf(track(token))).recipient_initials).toBe(initials);
  });

  test('the history lists the latest hundred statuses', async () => {
    const { key, token } = await newPackage();
    const start = Date.now();
    const times = Array.from({ length: 120 }, (_, at) => new Date(start + at).toISOString());
    const moves = times.map((happened_at) => movement(key, { status_code: 17, happened_at }));
    await resultsOf(service.operator, ...moves);
    const { history } = await bodyOf(track(token));
    expect(history).toHaveLength(100);
    expect(history.some(({ code }) => code === 1)).toBe(false);
  });

  test('answers until 90 days after the final status, and without a final status has no end', async () => {
    const { key, token } = await newPackage();
    const since = (days: number) =>
      sql`update packages set status_since = now() - ${days} * interval '1 day' where loggi_key = ${key}`.execute(db);
    await since(200);
    expect((await track(token)).response.status).toBe(200);
    await resultsOf(service.operator, movement(key, { status_code: 5 }));
    await since(89);
    expect((await track(token)).response.status).toBe(200);
    await since(91);
    expect(refusal(await track(token))).toBe('404 NOT_FOUND');
  });

  test('names that were erased are left out', async () => {
    const { key, orderId, token } = await newPackage();
    await resultsOf(service.operator, movement(key, { status_code: 5 }));
    await sql`update orders set created_at = '2020-01-01', updated_at = '2020-01-02' where id = ${orderId}`.execute(db);
    const body = { before: '2021-01-01T00:00:00Z', dry_run: false };
    await bodyOf(service.operator.operator.POST('/operator/v1/recipient-erasures', { body }));
    const isErased = async () => (await bodyOf(track(token))).recipient_initials === undefined;
    await waitFor(isErased, 'the erasure');
    expect(await bodyOf(track(token))).toMatchObject({ destination: { city: 'São Paulo' }, sender_name: 'Ana Souza' });
  });

  test.each(['x', 'A'.repeat(52), 'A'.repeat(255), '☃'])('the token %p is as unknown as any other', async (token) => {
    expect(refusal(await track(token))).toBe('404 NOT_FOUND');
  });
});
