import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Actor } from '../../src/base/actor.js';
import { getOrder, type OrderStatus } from '../../src/orders/order.js';
import { deriveStatus, recordMovements } from '../../src/orders/record-movements.js';
import { setOrderStatus } from '../../src/orders/set-status.js';
import { historyOf } from '../../src/packages/queries.js';
import { ownDatabase } from '../support/services.js';
import { faultOf } from './accounts-fixtures.js';
import { makeOrdered, movement, operator, secondsFromNow } from './orders-fixtures.js';

const { db } = await ownDatabase();

const statuses: OrderStatus[] = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'];

const set = (actor: Actor, id: string, status: OrderStatus) => setOrderStatus(db, actor, id, status);

/** Makes an order of two packages, which an operator brings to the status. */
async function orderThatIs(status: OrderStatus) {
  const ordered = await makeOrdered(db, 2);
  await set(operator, ordered.order.id, status);
  return { ...ordered, id: ordered.order.id };
}

/** For each target status: the new status or the error code that a role gets. */
async function outcomes(from: OrderStatus, role: 'owner' | 'operator') {
  const all = [];
  for (const to of statuses) {
    const { owner, id } = await orderThatIs(from);
    const { code } = await faultOf(set(role === 'owner' ? owner : operator, id, to));
    const after = await getOrder(db, owner, id);
    expect(after?.status).toBe(code === 'none' ? to : from);
    all.push(code);
  }
  return all;
}

describe('setting a status', () => {
  const [ok, no, never] = ['none', 'FORBIDDEN', 'CONFLICT'];

  test.each<[OrderStatus, string[]]>([
    ['created', [ok, ok, ok, ok, ok]],
    ['processing', [never, ok, ok, ok, ok]],
    ['out_for_delivery', [never, never, ok, ok, never]],
    ['completed', [never, never, never, ok, never]],
    ['cancelled', [never, never, never, never, ok]],
  ])('lets an operator only go forward from %s', async (from, expected) => {
    expect(await outcomes(from, 'operator')).toEqual(expected);
  });

  test.each<[OrderStatus, string[]]>([
    ['created', [ok, no, no, no, ok]],
    ['processing', [no, ok, no, no, no]],
    ['completed', [no, no, no, ok, no]],
    ['cancelled', [no, no, no, no, ok]],
  ])('lets the owner only cancel, and only a created order: %s', async (from, expected) => {
    expect(await outcomes(from, 'owner')).toEqual(expected);
  });

  test('moves every open package at the place where it was last seen, and no other package', async () => {
    const { id, keys } = await orderThatIs('created');
    const [first = '', second = ''] = keys;
    const inSantos = { location: { city: 'Santos', state: 'SP' } };
    await recordMovements(db, [movement(first, 2), movement(second, 3, inSantos)]);
    await recordMovements(db, [movement(second, 14, { location: null })]);
    const order = await set(operator, id, 'completed');
    expect(order.packages.map(({ status }) => status.code)).toEqual([2, 5]);
    expect(order.packages[1]?.location).toEqual({ city: 'Santos', state: 'SP' });
    expect((await historyOf(db, first, { page: 1, pageSize: 10 })).total).toBe(2);
  });

  test('works on packages whose current status is a little in the future', async () => {
    const { id, keys } = await orderThatIs('created');
    const ahead = { happenedAt: secondsFromNow(250) };
    const movements = keys.map((key) => movement(key, 3, ahead));
    await recordMovements(db, movements);
    expect((await set(operator, id, 'completed')).status).toBe('completed');
  });

  test('cannot cancel an order with a delivered package', async () => {
    const { id, keys } = await orderThatIs('created');
    await recordMovements(db, [movement(keys[0] ?? '', 5)]);
    expect((await getOrder(db, operator, id))?.status).toBe('processing');
    expect((await faultOf(set(operator, id, 'cancelled'))).code).toBe('CONFLICT');
    expect((await getOrder(db, operator, id))?.packages.map(({ status }) => status.code)).toEqual([5, 1]);
  });
});

test.each<[OrderStatus[], OrderStatus]>([
  [['created', 'created'], 'created'],
  [['created', 'cancelled'], 'created'],
  [['created', 'processing'], 'processing'],
  [['created', 'completed'], 'processing'],
  [['processing', 'out_for_delivery'], 'out_for_delivery'],
  [['out_for_delivery', 'completed'], 'out_for_delivery'],
  [['completed', 'completed'], 'completed'],
  [['completed', 'cancelled'], 'completed'],
  [['cancelled', 'cancelled'], 'cancelled'],
])('packages that are %p make the order %s', (stages, status) => {
  expect(deriveStatus(stages)).toBe(status);
});

test('the status of an order depends neither on the sequence nor on the number of packages in a stage', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...statuses), { minLength: 1 }), (stages) => {
      const status = deriveStatus(stages);
      expect(deriveStatus([...new Set(stages)].reverse())).toBe(status);
      expect(stages.includes(status) || status === 'processing').toBe(true);
    }),
  );
});
