import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { newId } from '../../src/base/ids.js';
import { addRateCard, currentRateCard } from '../../src/carrier/rate-cards.js';
import { createEndpoint } from '../../src/endpoints/endpoints.js';
import { listAddressChanges } from '../../src/orders/changes/address-history.js';
import { answerPackage } from '../../src/orders/changes/answer-package.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { getOrder, type Order } from '../../src/orders/order.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { returnPackage } from '../../src/orders/returns.js';
import { countOf } from '../support/queue.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, ring } from './accounts-fixtures.js';
import { codeRing, codes, makeOrdered, movement, orderInput, planDeps, secondsFromNow } from './orders-fixtures.js';

/** Changes of single packages, beside changes of their siblings, movements and other changes. */

const { db } = await ownDatabase();
const deps = planDeps(db);
const elsewhere = { address: 'Rua XV de Novembro, 9 - Centro, Ribeirão Preto - SP' };
const page = { page: 1, pageSize: 10 };

const cancel = async (owner: Actor, key = '', options = {}) => (await cancelPackage(deps, owner, key, options))(db);

async function shownTotal(owner: Actor, key: string, address = elsewhere): Promise<number> {
  const preview = await (await changeAddress(deps, owner, key, { address }))(db);
  return preview.order.pricing.totalCentavos;
}

/** Previews a change of address. Resolves to its write. */
async function preparedChange(owner: Actor, key = '', address = elsewhere, ifMatch?: readonly number[]) {
  const totalCentavos = await shownTotal(owner, key, address);
  return changeAddress(deps, owner, key, { address, totalCentavos }, ifMatch);
}

const change = async (owner: Actor, key = '', totalCentavos?: number) => {
  const confirmed = { address: elsewhere, totalCentavos: totalCentavos ?? (await shownTotal(owner, key)) };
  return (await changeAddress(deps, owner, key, confirmed))(db);
};

const now = async (owner: Actor, { id }: Order): Promise<Order> => {
  const order = await getOrder(db, owner, id);
  if (!order) throw new Error('the order is gone');
  return order;
};

const partsOf = ({ packages }: Order) => packages.map(({ lineHaulCentavos }) => lineHaulCentavos ?? 0);
const codesOf = ({ packages }: Order) => packages.map(({ status }) => status.code);

/** Checks that the price of an order fits its lines and parts, and that the route fits its stops. */
function expectWhole({ pricing, route, pickups, packages }: Order): void {
  const amounts = pricing.lines.map(({ amount }) => amount);
  expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(pricing.totalCentavos);
  const lineHaul = pricing.lines.find(({ kind }) => kind === 'line_haul')?.amount ?? 0;
  expect(packages.reduce((sum, each) => sum + (each.lineHaulCentavos ?? 0), 0)).toBe(lineHaul);
  const stops = [...pickups, ...packages].map(({ waypoint }) => waypoint);
  expect(stops.map(({ index }) => index).sort((a, b) => a - b)).toEqual(stops.map((_, at) => at));
  expect(stops.reduce((sum, { legDistance }) => sum + legDistance, 0)).toBe(route.distanceMetres);
  for (const { pickupPlace: place, pickupWaypoint: waypoint, pickupIndex } of packages)
    expect(pickups[pickupIndex]).toMatchObject({ place, waypoint });
}

/** Gives the account an endpoint. Resolves to a function that counts the notifications of a package. */
async function notifying({ accountId }: Actor) {
  const url = new URL(`https://${newId()}.example.com/`);
  await createEndpoint(db, ring('a'), { accountId, destination: { url, username: 'u', password: 'p' } });
  return (key = '') => countOf(db, 'webhook_notifications', sql`loggi_key = ${key}`);
}

describe('cancelling a package', () => {
  test('leaves the price of the other packages, by the rate card that priced the order', async () => {
    const { owner, order, keys } = await makeOrdered(db, 5);
    const { pickups, packages } = orderInput(5);
    const others = packages.filter((_, at) => at !== 1 && at !== 3);
    const { pricing } = await planOrder(deps, owner.accountId, { pickups, packages: others });
    const { version: _, created_at: __, ...card } = await currentRateCard(db);
    await addRateCard(db, { ...card, base_centavos: card.base_centavos * 3 });
    const first = await cancel(owner, keys[1]);
    expect(first).toMatchObject({ changed: true, previousPricing: order.pricing, order: { status: 'created' } });
    const { previousPricing, order: after } = await cancel(owner, keys[3]);
    expect([previousPricing, after.pricing]).toEqual([first.order.pricing, pricing]);
    expect(codesOf(after)).toEqual([1, 2, 1, 2, 1]);
    expectWhole(after);
    expect(partsOf(after)).toEqual(partsOf(order).map((part, at) => (at === 1 || at === 3 ? 0 : part)));
    const stopsOf = (each: Order) => each.packages.map(({ waypoint, promisedDate }) => [waypoint, promisedDate]);
    expect([after.route, stopsOf(after)]).toEqual([order.route, stopsOf(order)]);
  });

  test('never raises the total', async () => {
    const { owner, order, keys } = await makeOrdered(db, 3);
    const lines = [{ kind: 'base', quantity: 1, unitPrice: 1, amount: 1 }];
    await db
      .updateTable('orders')
      .set({ total_centavos: 1, price_lines: JSON.stringify(lines) })
      .where('id', '=', order.id)
      .execute();
    const { order: after } = await cancel(owner, keys[0]);
    expect([after.pricing.totalCentavos, after.pricing.lines, codesOf(after)]).toEqual([1, lines, [2, 1, 1]]);
  });

  test.each([3, 14, 11, 5])(
    'is possible when another one is in status %i, but not for that other one',
    async (code) => {
      const { owner, order, keys } = await makeOrdered(db, 2);
      await recordMovements(db, [movement(keys[0] ?? '', code)]);
      expect(await faultOf(cancel(owner, keys[0]))).toMatchObject({ code: 'CONFLICT' });
      const { order: after } = await cancel(owner, keys[1]);
      expect([codesOf(after), after.status]).toEqual([
        [code, 2],
        code === 5 ? 'completed' : (await now(owner, order)).status,
      ]);
      expectWhole(after);
    },
  );

  test('leaves no part of the price with a package that the carrier cancelled', async () => {
    const { owner, keys } = await makeOrdered(db, 3);
    await recordMovements(db, [movement(keys[0] ?? '', 2)]);
    const { order: after } = await cancel(owner, keys[1]);
    expect(codesOf(after)).toEqual([2, 2, 1]);
    expectWhole(after);
  });

  test('is refused after a change of the price, but not after other changes of the order', async () => {
    const { owner, keys } = await makeOrdered(db, 4);
    const write = await cancelPackage(deps, owner, keys[0] ?? '');
    const late = await cancelPackage(deps, owner, keys[1] ?? '');
    await recordMovements(db, [movement(keys[2] ?? '', 14)]);
    expect(codesOf((await write(db)).order)).toEqual([2, 1, 14, 1]);
    expect(await faultOf(late(db))).toMatchObject({ code: 'CONFLICT' });
    expect(await faultOf(cancel(owner, keys[1], { ifMatch: [1] }))).toMatchObject({ code: 'PRECONDITION_FAILED' });
  });
});

describe('changing the address of a package', () => {
  test('is possible when others moved, which keep their promised dates', async () => {
    const { owner, order, keys } = await makeOrdered(db, 4);
    await cancel(owner, keys[0]);
    await recordMovements(db, [movement(keys[1] ?? '', 14), movement(keys[2] ?? '', 5)]);
    const { order: after } = await change(owner, keys[3]);
    expect(after.packages[3]).toMatchObject({ address: elsewhere, place: { city: 'Ribeirão Preto' } });
    expect(codesOf(after)).toEqual([2, 14, 5, 1]);
    expectWhole(after);
    const promises = ({ packages, pickups }: Order) => [
      ...pickups.map(({ waypoint }) => waypoint.eta),
      ...packages.slice(0, 3).map(({ waypoint }) => waypoint.eta),
    ];
    expect(promises(after)).toEqual(promises(order));
    expect(after.packages.slice(0, 3).map(({ promisedDate }) => promisedDate)).toEqual(
      order.packages.slice(0, 3).map(({ promisedDate }) => promisedDate),
    );
    expect(after.packages[0]).toMatchObject({ lineHaulCentavos: null, waypoint: { legDistance: 0, index: 4 } });
  });

  test('charges nothing for cancelled packages', async () => {
    const { owner, keys } = await makeOrdered(db, 3);
    const whole = await shownTotal(owner, keys[0] ?? '');
    await cancel(owner, keys[1]);
    expect(await shownTotal(owner, keys[0] ?? '')).toBeLessThan(whole);
    expect(await faultOf(change(owner, keys[1], 1))).toMatchObject({ code: 'CONFLICT' });
  });
});

const ROUNDS = 100;

/** A scan that happens after the change. If it comes second, the final status refuses it. */
const scan = (key: string) => recordMovements(db, [movement(key, 14, { happenedAt: secondsFromNow(60) })]);

test('exactly one of a scan and a cancellation at once succeeds', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { owner, order, keys } = await makeOrdered(db, 2);
    const notified = await notifying(owner);
    const [key = ''] = keys;
    const decided = round % 2 === 0 ? await cancelPackage(deps, owner, key) : undefined;
    const cancellation = faultOf(decided ? decided(db) : cancel(owner, key));
    const [{ code }, { outcomes }] = await Promise.all([cancellation, scan(key)]);
    const after = await now(owner, order);
    const isCancelled = code === 'none';
    expect([code, outcomes[0]?.result, codesOf(after), after.status]).toEqual(
      isCancelled ? ['none', 'refused', [2, 1], 'created'] : ['CONFLICT', 'recorded', [14, 1], 'processing'],
    );
    expect(after.pricing.totalCentavos < order.pricing.totalCentavos).toBe(isCancelled);
    expectWhole(after);
    expect([await countOf(db, 'movements', sql`loggi_key = ${key}`), await notified(key)]).toEqual([2, 1]);
  }
});

test('a scan at the same time as a change of address is recorded; the change is made before it or refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { owner, order, keys } = await makeOrdered(db, 2);
    const [key = ''] = keys;
    const totalCentavos = await shownTotal(owner, key);
    const notified = await notifying(owner);
    // In half of the rounds the scan is of the other package.
    const scanned = keys[Math.floor(round / 2) % 2] ?? '';
    const decided = round % 2 === 0 ? await preparedChange(owner, key) : undefined;
    const changing = faultOf(decided ? decided(db) : change(owner, key, totalCentavos));
    const [{ code }, { outcomes }] = await Promise.all([changing, scan(scanned)]);
    const after = await now(owner, order);
    const isChanged = code === 'none';
    expect([outcomes[0]?.result, codesOf(after), after.status, after.version, code]).toEqual([
      ...['recorded', keys.map((each) => (each === scanned ? 14 : 1)), 'processing'],
      ...(isChanged ? [3, 'none'] : [2, 'CONFLICT']),
    ]);
    expect(after.packages[0]?.address).toEqual(isChanged ? elsewhere : order.packages[0]?.address);
    expect(after.pricing).toEqual(isChanged ? { ...after.pricing, totalCentavos } : order.pricing);
    expectWhole(after);
    expect((await listAddressChanges(db, owner, key, page)).total).toBe(isChanged ? 1 : 0);
    expect(await notified(scanned)).toBe(1);
  }
});

test('only one of two changes is made when both were previewed together', async () => {
  const { owner, order, keys } = await makeOrdered(db, 3);
  const other = { address: 'Rua XV de Novembro, 9 - Centro, Osasco - SP' };
  const writes = [await preparedChange(owner, keys[0]), await preparedChange(owner, keys[1], other)];
  const faults = await Promise.all(writes.map((write) => faultOf(write(db))));
  expect(faults.map(({ code }) => code).sort()).toEqual(['CONFLICT', 'none']);
  const after = await now(owner, order);
  expect(after.version).toBe(2);
  const addresses = ({ packages }: Order) => packages.map(({ address }) => address.address);
  expect(addresses(after).filter((address, at) => address !== addresses(order)[at])).toHaveLength(1);
  expectWhole(after);
});

test('a package that was collected first keeps its address; one that was changed first can be collected', async () => {
  const late = await makeOrdered(db, 2);
  const write = await preparedChange(late.owner, late.keys[0]);
  await recordMovements(db, [movement(late.keys[1] ?? '', 14)]);
  expect(await faultOf(write(db))).toMatchObject({ code: 'CONFLICT' });
  expect((await now(late.owner, late.order)).pricing).toEqual(late.order.pricing);
  const named = await makeOrdered(db);
  const namedWrite = await preparedChange(named.owner, named.keys[0], elsewhere, [1]);
  await recordMovements(db, [movement(named.keys[0] ?? '', 14)]);
  expect(await faultOf(namedWrite(db))).toMatchObject({ code: 'PRECONDITION_FAILED' });

  const early = await makeOrdered(db, 2);
  await change(early.owner, early.keys[0]);
  const { outcomes } = await recordMovements(db, [movement(early.keys[0] ?? '', 14)]);
  expect(outcomes).toMatchObject([{ result: 'recorded' }]);
  expect(await now(early.owner, early.order)).toMatchObject({ status: 'processing', version: 3 });
});

test('an answer is refused when the package has gone on meanwhile', async () => {
  const { owner, keys } = await makeOrdered(db);
  const [key = ''] = keys;
  const actionRequired = { reasonLabel: 'Endereço incompleto', reasonDescription: 'Falta o número.' };
  await recordMovements(db, [movement(key, 6, { actionRequired })]);
  const write = await answerPackage(deps, owner, key, { phone: '+55 11 90000-1111' });
  await recordMovements(db, [movement(key, 11)]);
  expect(await faultOf(write(db))).toMatchObject({ code: 'CONFLICT' });
  expect(await countOf(db, 'package_answers', sql`loggi_key = ${key}`)).toBe(0);
});

test('a return and its link to the package are stored together or not at all', async () => {
  const { owner, order, keys } = await makeOrdered(db);
  const [key = ''] = keys;
  await recordMovements(db, [movement(key, 5)]);
  const withPlacing = { ...deps, placing: createPlacing({ db, codes, keys: codeRing, waitMs: 1_000 }) };
  const writes = [await returnPackage(withPlacing, owner, key, {}), await returnPackage(withPlacing, owner, key, {})];
  const faults = await Promise.all(writes.map((write) => faultOf(write(db))));
  expect(faults.map(({ code }) => code).sort()).toEqual(['CONFLICT', 'none']);
  const returnedBy = (await now(owner, order)).packages[0]?.returnedBy ?? '';
  expect(await getOrder(db, owner, returnedBy)).toMatchObject({ returnOf: key, status: 'created', version: 1 });
  expect(await countOf(db, 'orders', sql`account_id = ${owner.accountId}`)).toBe(2);
});
