import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { trackingRecords } from '../../src/packages/tracking.js';
import { bodyOf as webhookBody } from '../../src/webhook/body.js';
import { startGraphql } from '../graphql/client.js';
import { orderBody } from '../support/bodies.js';
import { operatorLogin } from '../support/service.js';
import {
  agency,
  at,
  atPackage,
  bodyOf,
  movement,
  newPackage,
  placeOrder,
  refusalOf,
  resultsOf,
  soon,
  withPin,
} from './fixtures.js';

/** An operator reopens a package whose final status was recorded by mistake. */

const service = await startGraphql({});
const { operator, db } = service;
const { operator: api } = operator;
const { caller: customer, send } = await service.client();

const proof = { current_password: operatorLogin.password };
const reopen = (key: string, body: object = {}) =>
  api.POST('/operator/v1/packages/{loggi_key}/reopening', {
    ...atPackage(key),
    body: { reason: 'A entrega era de outro pacote.', ...proof, ...body },
  });
const packageOf = (key: string) => bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
const reasonOf = async (call: ReturnType<typeof reopen>) => {
  const { error } = await call;
  return error?.error.reason;
};
const REOPENED = 'Reaberto: o status final registrado antes foi um engano.';

describe('a reopening', () => {
  test('restores the earlier status by a new movement, and the status of the order follows', async () => {
    const order = await placeOrder(customer);
    const key = order.packages[0]?.loggi_key ?? '';
    const away = { status_code: 10, pickup_agency: agency };
    await resultsOf(operator, movement(key, away), movement(key, { status_code: 5, happened_at: soon(1_000) }));
    const statusOf = async () => (await bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(order.id)))).status;
    expect(await statusOf()).toBe('completed');
    const answer = await bodyOf(reopen(key));
    expect(answer).toMatchObject({
      movement_count: 4,
      status: { code: 10, final: false, description: REOPENED, reopened: true, pickup_agency: agency },
    });
    expect(await statusOf()).toBe('out_for_delivery');
    const shown = await packageOf(key);
    expect(shown.status).toMatchObject({ code: 10, reopened: true });
    expect(shown.tracking_history.map(({ status }) => [status.code, status.reopened])).toEqual([
      [5, undefined],
      [10, undefined],
      [1, undefined],
    ]);
    const { data } = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(key)));
    const reopening = { reason: 'A entrega era de outro pacote.', operator_id: operator.id };
    expect(data.map((each) => each.reopening)).toEqual([reopening, undefined, undefined, undefined]);
    const graphql = await send(`{ package(loggiKey: "${key}") { status { code reopened description } } }`);
    expect(graphql.data).toEqual({ package: { status: { code: 10, reopened: true, description: REOPENED } } });
    expect(await resultsOf(operator, movement(key, { status_code: 11 }))).toEqual(['recorded']);
    expect((await packageOf(key)).status).not.toHaveProperty('reopened');
  });

  test('is sent to webhooks, and earlier bodies stay the same', async () => {
    const key = await newPackage(customer);
    const late = { status_code: 5, happened_at: soon(-60_000) };
    await db
      .updateTable('packages')
      .set({ created_at: new Date(Date.now() - 3_600_000) })
      .where('loggi_key', '=', key)
      .execute();
    await sql`update packages set status_since = now() - interval '1 hour' where loggi_key = ${key}`.execute(db);
    await sql`update movements set happened_at = now() - interval '1 hour' where loggi_key = ${key}`.execute(db);
    await resultsOf(operator, movement(key, { status_code: 11, happened_at: soon(-30_000) }), movement(key, late));
    const asOf = async (seq: number) =>
      webhookBody(await trackingRecords(db, [{ loggiKey: key, seq }])).bytes.toString();
    const before = await Promise.all([1, 2, 3].map(asOf));
    expect(JSON.parse(before[2] ?? '').packages[0].status.code).toBe(5);
    await bodyOf(reopen(key));
    expect(await Promise.all([1, 2, 3].map(asOf))).toEqual(before);
    const [told] = JSON.parse(await asOf(4)).packages;
    expect(told.status).toMatchObject({ code: 11, highLevelStatus: 'Saiu para entrega', description: REOPENED });
    expect(told.trackingHistory.map(({ status }: { status: object }) => Object(status).code)).toEqual([11, 5, 1]);
    await resultsOf(operator, movement(key, { status_code: 17 }));
    expect(await Promise.all([1, 2, 3].map(asOf))).toEqual(before);
  });

  test('needs the password or a code of the operator', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 5 }));
    expect(await reasonOf(reopen(key, { current_password: undefined }))).toBe('reauthentication_required');
    expect(await refusalOf(reopen(key, { current_password: 'another password' }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'current_password',
    ]);
    expect((await packageOf(key)).status.code).toBe(5);
    expect(await refusalOf(reopen(key, { reason: '' }))).toEqual([400, 'VALIDATION_ERROR', 'reason']);
  });

  test('is refused without a final status, after 7 days, with a return, and once the recipient was erased', async () => {
    const key = await newPackage(customer);
    expect(await reasonOf(reopen(key))).toBe('package_not_final');
    await resultsOf(operator, movement(key, { status_code: 5 }));
    const recorded = (days: number) =>
      sql`update movements set recorded_at = now() - make_interval(days => ${days}) where loggi_key = ${key}`.execute(
        db,
      );
    await recorded(8);
    expect(await reasonOf(reopen(key))).toBe('reopening_too_late');
    await recorded(6);
    const back = await bodyOf(
      customer.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(key), body: {} }),
    );
    expect(await reasonOf(reopen(key))).toBe('return_exists');
    await bodyOf(customer.rest.PUT('/api/v1/orders/{id}/status', { ...at(back.id), body: { status: 'cancelled' } }));
    const erasedAt = (time: Date | null) =>
      sql`update orders set recipients_erased_at = ${time} where id = (select order_id from packages where loggi_key = ${key})`.execute(
        db,
      );
    await erasedAt(new Date());
    expect(await reasonOf(reopen(key))).toBe('package_erased');
    await erasedAt(null);
    await bodyOf(reopen(key));
    expect(await reasonOf(reopen(key))).toBe('package_not_final');
    expect(await refusalOf(reopen('01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53'))).toEqual([404, 'NOT_FOUND']);
  });

  test('removes the proof of the wrong delivery; the right delivery then has its own proof and PIN', async () => {
    const { key, pin } = await withPin(customer);
    const delivered = (name: string) => movement(key, { status_code: 5, pin, proof: { recipient_name: name } });
    await resultsOf(operator, delivered('Marta'));
    await bodyOf(reopen(key));
    expect(await refusalOf(api.GET('/operator/v1/packages/{loggi_key}/proof', atPackage(key)))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/pin', atPackage(key)))).toMatchObject({
      state: 'waiting',
    });
    expect(await resultsOf(operator, movement(key, { status_code: 5 }))).toEqual(['refused VALIDATION_ERROR pin']);
    expect(await resultsOf(operator, delivered('Bruno'))).toEqual(['recorded']);
    const shown = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/proof', atPackage(key)));
    expect(shown).toMatchObject({ recipient_name: 'Bruno', pin: 'confirmed' });
  });

  test('takes the fiscal key again, and is refused if another order has it meanwhile', async () => {
    const key = '35260912ABC34501DE35550010000012341234567898';
    const fiscal = { fiscal_document: { kind: 'nfe', key } };
    const first = (await placeOrder(customer, 1, fiscal)).packages[0]?.loggi_key ?? '';
    await resultsOf(operator, movement(first, { status_code: 5 }));
    await bodyOf(reopen(first));
    const taken = customer.rest.POST('/api/v1/orders', { body: orderBody(fiscal) });
    expect((await taken).error?.error.reason).toBe('fiscal_key_taken');
    await resultsOf(operator, movement(first, { status_code: 5 }));
    await placeOrder(customer, 1, fiscal);
    expect(await reasonOf(reopen(first))).toBe('fiscal_key_taken');
    expect((await packageOf(first)).status.code).toBe(5);
  });

  test('that is sent twice at the same time is done once', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 5 }));
    const answers = await Promise.all([reopen(key), reopen(key)]);
    expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409]);
    expect((await packageOf(key)).movement_count).toBe(3);
  });
});
