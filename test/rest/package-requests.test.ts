import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { possibleIn } from '../../src/packages/requests.js';
import { bundles } from '../contract/contract-files.js';
import { startGraphql } from '../graphql/client.js';
import {
  agency,
  at,
  atPackage,
  bodyOf,
  movement,
  newPackage,
  newPackages,
  placeOrder,
  reason,
  refusalOf,
  resultsOf,
} from '../operator/fixtures.js';
import { waitFor } from '../support/receiver.js';

/** Requests of shippers about their packages, which are tasks of the operator. */

const service = await startGraphql({});
const { operator, db } = service;
const { operator: api } = operator;
const customer = await service.customer();
const stranger = await service.customer();

type Body = Parameters<typeof ask>[1];
const ask = (
  key: string,
  body: { kind: 'inquiry' | 'hold' | 'stop_and_return' | 'new_attempt' | 'correct_recipient' },
) => customer.rest.POST('/api/v1/packages/{loggi_key}/requests', { ...atPackage(key), body });
const inquire = (key: string, problem: string, note?: string) =>
  ask(key, { kind: 'inquiry', problem, ...(note && { note }) } as Body);
const reasonOf = async (call: ReturnType<typeof ask>) => (await call).error?.error.reason;
const packageOf = (key: string) => bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
const tasksOf = async (key: string) =>
  (await bodyOf(api.GET('/operator/v1/tasks', { params: { query: { loggi_key: key } } }))).data;

const DAY_MS = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() - 3 * 3_600_000 + days * DAY_MS).toISOString().slice(0, 10);
/** The next Tuesday, Wednesday or Thursday, so that no weekend is near. */
const workday = [1, 2, 3, 4, 5].map(dayIn).find((day) => [2, 3, 4].includes(new Date(day).getUTCDay())) ?? '';
const sunday = [1, 2, 3, 4, 5, 6, 7].map(dayIn).find((day) => new Date(day).getUTCDay() === 0) ?? '';

const codes = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18];
const needs: Readonly<Record<number, object>> = { 6: { action_required: reason }, 10: { pickup_agency: agency } };
const kinds = Object.keys(possibleIn) as (keyof typeof possibleIn)[];
const bodies = (isFinal: boolean) => ({
  stop_and_return: {},
  new_attempt: { on: workday },
  hold: { until: dayIn(2) },
  correct_recipient: { recipient: { phone: '+55 11 97777-6666' } },
  inquiry: { problem: isFinal ? 'not_received' : 'late' },
});

describe('a request', () => {
  test('is possible in the statuses that the contract publishes for its kind, and in no other', async () => {
    const schemas = Object(bundles.rest['components']).schemas;
    expect(schemas.PackageRequestInput['x-possible-in']).toEqual(possibleIn);
    const keys = await newPackages(customer, codes.length);
    for (const [index, code] of codes.entries()) {
      const key = keys[index] ?? '';
      if (code !== 1) await resultsOf(operator, movement(key, { status_code: code, ...needs[code] }));
      const answers = kinds.map(async (kind) => {
        const body = { kind, ...bodies([2, 5, 8].includes(code))[kind] };
        const { response, error } = await ask(key, body);
        return [kind, error ? error.error.reason : response.status];
      });
      const expected = kinds.map((kind) => [kind, possibleIn[kind].includes(code) ? 201 : 'request_not_possible']);
      expect([code, await Promise.all(answers)]).toEqual([code, expected]);
    }
  });

  test('is a task of the operator, who completes it by a movement and a note that the shipper reads', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 18 }));
    const asked = await bodyOf(ask(key, { kind: 'stop_and_return' }));
    expect(asked).toMatchObject({ kind: 'stop_and_return', state: 'open', loggi_key: key });
    const since = await bodyOf(
      customer.rest.GET('/api/v1/packages', { params: { query: { updated_from: new Date().toISOString() } } }),
    );
    const [task] = await tasksOf(key);
    expect(task).toMatchObject({ id: asked.id, kind: 'stop_and_return', state: 'open' });
    const back = movement(key, { status_code: 7 });
    const complete = (body: object) => api.POST('/operator/v1/tasks/{id}/completion', { ...at(asked.id), body });
    expect(await refusalOf(complete({ movement: { ...back, status_code: 6 } }))).toEqual([
      400,
      'VALIDATION_ERROR',
      'movement.action_required',
    ]);
    expect((await tasksOf(key))[0]).toMatchObject({ state: 'open' });
    const other = await newPackage(customer);
    const { loggi_key, ...unnamed } = back;
    const named = await packageOf(key);
    for (const names of [
      { loggi_key: other },
      { barcode: (await packageOf(other)).barcode },
      { barcode: '000000000000000000' },
      { loggi_key, barcode: named.barcode },
    ])
      expect(await refusalOf(complete({ movement: { ...unnamed, ...names } }))).toEqual([
        400,
        'VALIDATION_ERROR',
        'movement.loggi_key',
      ]);
    await bodyOf(complete({ note: 'On its way back.', movement: { ...unnamed, barcode: named.barcode } }));
    const read = { ...atPackage(key), params: { path: { loggi_key: key, id: asked.id } } };
    const done = { state: 'done', completion_note: 'On its way back.', completed_by_movement: back.id };
    expect(await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}/requests/{id}', read))).toMatchObject(done);
    const list = await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}/requests', atPackage(key)));
    expect(list.data).toEqual([expect.objectContaining(done)]);
    expect((await packageOf(key)).status.code).toBe(7);
    expect((await refusalOf(complete({}))).slice(0, 2)).toEqual([409, 'CONFLICT']);
    let { next_cursor: cursor = '' } = since;
    // A list of changes stops before the oldest open transaction, which may be one of another test.
    await waitFor(async () => {
      const { data, next_cursor: next = '' } = await bodyOf(
        customer.rest.GET('/api/v1/packages', { params: { query: { cursor } } }),
      );
      cursor = next;
      return data.some(({ loggi_key }) => loggi_key === key);
    }, 'the change of the package');
    expect((await refusalOf(stranger.rest.GET('/api/v1/packages/{loggi_key}/requests', atPackage(key))))[0]).toBe(404);
    const answers = await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}/answers', atPackage(key)));
    expect(answers.data).toEqual([]);
  });

  test('is open once for each kind, even when two come at once, and may be made again when it is done', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 17 }));
    const both = await Promise.all([inquire(key, 'late'), inquire(key, 'late')]);
    expect(both.map(({ response }) => response.status).sort()).toEqual([201, 409]);
    expect(both.map(({ error }) => error?.error.reason)).toContain('request_open');
    expect((await ask(key, { kind: 'hold' })).response.status).toBe(201);
    const [task] = await tasksOf(key);
    await bodyOf(api.POST('/operator/v1/tasks/{id}/completion', { ...at(task?.id ?? ''), body: {} }));
    const kind = task?.kind === 'hold' ? ask(key, { kind: 'hold' }) : inquire(key, 'late');
    expect((await kind).response.status).toBe(201);
  });

  test('to correct the recipient changes the package at once, and is done at once if no courier has the package', async () => {
    const key = await newPackage(customer);
    const corrected = { kind: 'correct_recipient', recipient: { name: 'Bruna Lima' } } as Body;
    expect(await bodyOf(ask(key, corrected))).toMatchObject({ state: 'done', recipient: { name: 'Bruna Lima' } });
    expect((await packageOf(key)).recipient).toEqual({ name: 'Bruna Lima', phone: '+55 11 98888-7777' });
    await resultsOf(operator, movement(key, { status_code: 11 }));
    const again = { kind: 'correct_recipient', recipient: { phone: '+55 11 97777-6666' } } as Body;
    expect(await bodyOf(ask(key, again))).toMatchObject({ state: 'open' });
    expect((await packageOf(key)).recipient).toEqual({ name: 'Bruna Lima', phone: '+55 11 97777-6666' });
    expect((await tasksOf(key))[0]).toMatchObject({ kind: 'correct_recipient', applied: ['phone'] });
  });

  test('must name a day on which a courier can come, and no field of another kind', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 18 }));
    const refused = async (body: object) => {
      const { error } = await ask(key, body as Body);
      return error?.error.details.map(({ field, code }) => `${field} ${code}`);
    };
    expect(await refused({ kind: 'new_attempt' })).toEqual(['on required']);
    expect(await refused({ kind: 'new_attempt', on: dayIn(0) })).toEqual(['on too_early']);
    expect(await refused({ kind: 'new_attempt', on: dayIn(12) })).toEqual(['on too_late']);
    expect(await refused({ kind: 'new_attempt', on: sunday })).toEqual(['on not_allowed']);
    expect(await refused({ kind: 'hold', until: dayIn(12) })).toEqual(['until too_late']);
    expect(await refused({ kind: 'hold', problem: 'late' })).toEqual(['problem not_allowed']);
    expect(await refused({ kind: 'inquiry' })).toEqual(['problem required']);
    expect(await refused({ kind: 'inquiry', problem: 'damaged' })).toEqual(['problem not_allowed']);
    expect(await refused({ kind: 'correct_recipient', recipient: {} })).toHaveLength(1);
    expect(await refused({ kind: 'correct_recipient', recipient: { name: '  ' } })).toEqual([
      'recipient.name required',
    ]);
    expect((await ask(key, { kind: 'new_attempt', on: workday } as Body)).response.status).toBe(201);
  });

  test('may be made by GraphQL, and is the same in REST', async () => {
    const key = await newPackage(customer);
    await resultsOf(operator, movement(key, { status_code: 18 }));
    const { send } = await service.client(customer);
    const create = `mutation ($input: PackageRequestInput!) { createPackageRequest(input: $input) {
      success request { id kind done day recipientName recipientPhone completedByMovement } errors { field reason } } }`;
    const input = { loggiKey: key, kind: 'new_attempt', on: workday };
    const { data } = await send(create, { variables: { input } });
    expect(data?.createPackageRequest).toMatchObject({ success: true, request: { kind: 'new_attempt', day: workday } });
    const again = await send(create, { variables: { input } });
    expect(again.data?.createPackageRequest).toMatchObject({ success: false, request: null });
    const [own] = (await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}/requests', atPackage(key)))).data;
    const listed = await send(`{ packageRequests(loggiKey: "${key}") { id kind done completedAt } }`);
    expect(listed.data).toEqual({
      packageRequests: [{ id: own?.id, kind: 'new_attempt', done: false, completedAt: null }],
    });
    const recipientPhone = '+55 11 97777-6666';
    const correction = { loggiKey: key, kind: 'correct_recipient', recipientPhone };
    const corrected = (await send(create, { variables: { input: correction } })).data?.createPackageRequest;
    expect(corrected?.request).toMatchObject({ recipientName: null, recipientPhone, completedByMovement: null });
    const empty = await send(create, { variables: { input: { ...correction, recipientPhone: null } } });
    expect(empty.data?.createPackageRequest).toMatchObject({ success: false, errors: [{ field: 'recipientName' }] });
    const back = movement(key, { status_code: 7 });
    const completion = { ...at(own?.id ?? ''), body: { movement: back } };
    await bodyOf(api.POST('/operator/v1/tasks/{id}/completion', completion));
    const done = await send(`{ packageRequests(loggiKey: "${key}") { kind completedByMovement } }`);
    expect(done.data?.packageRequests).toContainEqual({ kind: 'new_attempt', completedByMovement: back.id });
  });

  test('after the delivery shows the operator the proof as it was then, for 90 days', async () => {
    const order = await placeOrder(customer);
    const key = order.packages[0]?.loggi_key ?? '';
    await resultsOf(
      operator,
      movement(key, { status_code: 5, proof: { recipient_name: 'Marta', recipient_document: '4821' } }),
    );
    await bodyOf(inquire(key, 'not_received', 'Nobody saw a courier.'));
    await sql`delete from delivery_proofs where loggi_key = ${key}`.execute(db);
    const [task] = await tasksOf(key);
    expect(task).toMatchObject({
      problem: 'not_received',
      note: 'Nobody saw a courier.',
      proof: { recipient_name: 'Marta', recipient_document: '4821' },
    });
    const since = (days: number) =>
      sql`update packages set status_since = now() - make_interval(days => ${days}) where loggi_key = ${key}`.execute(
        db,
      );
    await bodyOf(api.POST('/operator/v1/tasks/{id}/completion', { ...at(task?.id ?? ''), body: {} }));
    await since(91);
    expect(await reasonOf(inquire(key, 'not_received'))).toBe('request_not_possible');
    await since(89);
    expect((await inquire(key, 'damaged')).response.status).toBe(201);
  });
});
