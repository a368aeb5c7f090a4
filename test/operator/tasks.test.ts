import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { operatorOf } from '../cli/malote.js';
import type { Caller } from '../support/service.js';
import { sharedService } from '../support/services.js';
import {
  at,
  atPackage,
  bodyOf,
  movement,
  newPackage,
  newWaitingPackage,
  refusalOf,
  resultsOf,
  soon,
} from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();
const cli = operatorOf(service);

type Query = { state?: 'open' | 'done'; user_id?: string; loggi_key?: string; created_to?: string; page_size?: number };

const list = (query: Query = {}) => bodyOf(api.GET('/operator/v1/tasks', { params: { query } }));

const complete = (id: string, body: { note?: string } = {}) =>
  api.POST('/operator/v1/tasks/{id}/completion', { ...at(id), body });

/** Answers for a package that waits, which makes an open task. */
async function newTask(shipper: Caller = customer, note = 'Ring twice.') {
  const path = { loggi_key: await newWaitingPackage(operator, shipper) };
  const body = { note, instructions: 'Portão azul.' };
  return bodyOf(shipper.rest.POST('/api/v1/packages/{loggi_key}/answers', { params: { path }, body }));
}

describe('GET /operator/v1/tasks', () => {
  test('lists open tasks oldest first, and all other lists newest first', async () => {
    const shipper = await service.customer();
    const tasks = [await newTask(shipper), await newTask(shipper), await newTask(shipper)];
    const ids = tasks.map(({ id }) => id);
    const idsOf = async (query: Query) => (await list({ user_id: shipper.id, ...query })).data.map(({ id }) => id);
    expect(await idsOf({ state: 'open' })).toEqual(ids);
    expect(await idsOf({})).toEqual([...ids].reverse());
    await bodyOf(complete(ids[1] ?? ''));
    expect(await idsOf({ state: 'open' })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ state: 'done' })).toEqual([ids[1]]);
    const page = await list({ user_id: shipper.id, state: 'open', page_size: 1 });
    expect([page.data.length, page.pagination.total_items]).toEqual([1, 2]);
  });

  test('filters by package and by age', async () => {
    const task = await newTask();
    const { loggi_key } = task;
    const idsOf = async (query: Query) => (await list(query)).data.map(({ id }) => id);
    expect(await idsOf({ loggi_key })).toEqual([task.id]);
    expect(await idsOf({ loggi_key, created_to: soon(1_000) })).toEqual([task.id]);
    expect(await idsOf({ loggi_key, created_to: task.created_at })).toEqual([]);
    expect(await idsOf({ user_id: randomUUID() })).toEqual([]);
  });
});

describe('a task', () => {
  test('shows the answer, the owner of the package, and the operator who did it', async () => {
    const answer = await newTask(customer, 'Leave it at the desk.');
    const open = await bodyOf(api.GET('/operator/v1/tasks/{id}', at(answer.id)));
    const { order_id, ...task } = open;
    expect(task).toEqual({ ...answer, kind: 'answer', user_id: customer.id });
    const order = await bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(order_id)));
    expect(order.packages[0]?.loggi_key).toBe(answer.loggi_key);

    const done = await bodyOf(complete(answer.id, { note: 'Tomorrow.' }));
    const completion = { completed_at: expect.any(String), completed_by: operator.id, completion_note: 'Tomorrow.' };
    expect(done).toEqual({ ...open, state: 'done', ...completion });
    expect(await bodyOf(api.GET('/operator/v1/tasks/{id}', at(answer.id)))).toEqual(done);
  });

  test('is done once: the second operator is refused', async () => {
    const { id } = await newTask();
    const answers = await Promise.all([complete(id), complete(id), complete(id)]);
    expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409, 409]);
    expect(await refusalOf(complete(randomUUID()))).toEqual([404, 'NOT_FOUND']);
  });
});

test('the commands find a request by its kind, and complete it with a movement and a note', async () => {
  const key = await newPackage(customer);
  await resultsOf(operator, movement(key, { status_code: 18 }));
  const body = { kind: 'stop_and_return' } as const;
  const request = await bodyOf(
    customer.rest.POST('/api/v1/packages/{loggi_key}/requests', { ...atPackage(key), body }),
  );
  const listed = (kind: string) => cli.run(['tasks', 'list', '--kind', kind, '--user', customer.id]);
  expect((await listed('stop_and_return')).out).toContain(request.id);
  expect((await listed('hold')).out).toBe('none\n');
  const done = ['tasks', 'done', request.id, '--note', 'On its way back.'];
  const stateless = await cli.run([...done, '--city', 'Santos', '--status', '7']);
  expect([stateless.code, stateless.err]).toEqual([2, expect.stringContaining('location')]);
  expect((await cli.run([...done, '--status', '6'])).err).toContain('movement.action_required');
  expect(await cli.json(['tasks', 'show', request.id])).toMatchObject({ state: 'open' });
  const moved = ['--status', '7', '--city', 'Santos', '--state', 'SP', '--at', soon(2_000)];
  const completed = await cli.json([...done, ...moved]);
  expect(completed).toMatchObject({ state: 'done', completed_by_movement: expect.any(String) });
  const { status, location } = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
  expect([status.code, location]).toEqual([7, { city: 'Santos', state: 'SP' }]);
});

test('the commands list, show and complete tasks', async () => {
  const { id, loggi_key } = await newTask();
  expect((await cli.run(['tasks', 'list', '--state', 'open', '--package', loggi_key])).out).toContain('Ring twice.');
  const narrow = ['tasks', 'list', '--user', customer.id, '--before', soon(-3_600_000)];
  expect((await cli.run(narrow)).out).toBe('none\n');
  expect(await cli.json(['tasks', 'show', id])).toMatchObject({ id, state: 'open' });
  expect(await cli.json(['tasks', 'done', id, '--note', 'Seen.'])).toMatchObject({ completion_note: 'Seen.' });
  const again = await cli.run(['tasks', 'done', id]);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('CONFLICT')]);
});
