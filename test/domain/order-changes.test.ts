import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { answerPackage } from '../../src/orders/changes/answer-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { getOrder, type Order } from '../../src/orders/order.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { returnPackage } from '../../src/orders/returns.js';
import { countOf } from '../support/queue.js';
import { ownDatabase } from '../support/services.js';
import { faultOf } from './accounts-fixtures.js';
import { codeRing, codes, makeOrdered, movement, planDeps } from './orders-fixtures.js';

/** Changes of orders beside movements and each other. */

const { db } = await ownDatabase();

describe('orders', () => {
  const addresses = ['Rua XV de Novembro, 9 - Centro, Jundiaí - SP', 'Rua XV de Novembro, 9 - Centro, Osasco - SP'];

  /** The write of a change that has been looked at. */
  async function preparedChange(owner: Actor, key: string, address = addresses[0] ?? '', ifMatch?: readonly number[]) {
    const deps = planDeps(db);
    const preview = await (await changeAddress(deps, owner, key, { address: { address } }))(db);
    const { totalCentavos } = preview.order.pricing;
    return changeAddress(deps, owner, key, { address: { address }, totalCentavos }, ifMatch);
  }

  /** Holds the route of an order against its stops. */
  function expectOneRoute(order: Order | undefined): void {
    const stops = [...(order?.pickups ?? []), ...(order?.packages ?? [])].map(({ waypoint }) => waypoint);
    expect(stops.map(({ index }) => index).sort((a, b) => a - b)).toEqual(stops.map((_, at) => at));
    expect(stops.reduce((sum, { legDistance }) => sum + legDistance, 0)).toBe(order?.route.distanceMetres);
    for (const { pickupPlace, pickupWaypoint, pickupIndex } of order?.packages ?? [])
      expect({ place: pickupPlace, waypoint: pickupWaypoint }).toMatchObject({
        place: order?.pickups[pickupIndex]?.place,
        waypoint: order?.pickups[pickupIndex]?.waypoint,
      });
  }

  test('of two changes that were looked at together one is made', async () => {
    const { owner, order, keys } = await makeOrdered(db, 3);
    const writes = [
      await preparedChange(owner, keys[0] ?? '', addresses[0]),
      await preparedChange(owner, keys[1] ?? '', addresses[1]),
    ];
    const faults = await Promise.all(writes.map((write) => faultOf(write(db))));
    expect(faults.map(({ code }) => code).sort()).toEqual(['CONFLICT', 'none']);
    const after = await getOrder(db, owner, order.id);
    expect(after?.version).toBe(2);
    const changed = after?.packages.filter(
      ({ address }, at) => address.address !== order.packages[at]?.address.address,
    );
    expect(changed).toHaveLength(1);
    expectOneRoute(after);
  });

  test('a package that is collected meanwhile keeps its address, and one that is changed first is collected', async () => {
    const late = await makeOrdered(db, 2);
    const write = await preparedChange(late.owner, late.keys[0] ?? '');
    await recordMovements(db, [movement(late.keys[1] ?? '', 14)]);
    expect(await faultOf(write(db))).toMatchObject({ code: 'CONFLICT' });
    expect((await getOrder(db, late.owner, late.order.id))?.pricing).toEqual(late.order.pricing);
    const named = await makeOrdered(db);
    const namedWrite = await preparedChange(named.owner, named.keys[0] ?? '', addresses[0], [1]);
    await recordMovements(db, [movement(named.keys[0] ?? '', 14)]);
    expect(await faultOf(namedWrite(db))).toMatchObject({ code: 'PRECONDITION_FAILED' });

    const early = await makeOrdered(db, 2);
    await (await preparedChange(early.owner, early.keys[0] ?? ''))(db);
    const { outcomes } = await recordMovements(db, [movement(early.keys[0] ?? '', 14)]);
    expect(outcomes).toMatchObject([{ result: 'recorded' }]);
    expect(await getOrder(db, early.owner, early.order.id)).toMatchObject({ status: 'processing', version: 3 });
  });

  test('a change and a movement at the same moment: either one comes first', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { owner, order, keys } = await makeOrdered(db, 2);
      const write = await preparedChange(owner, keys[0] ?? '');
      const scan = recordMovements(db, [movement(keys[1] ?? '', 14)]);
      const [{ code }, { outcomes }] = await Promise.all([faultOf(write(db)), scan]);
      expect(outcomes).toMatchObject([{ result: 'recorded' }]);
      const after = await getOrder(db, owner, order.id);
      const isChanged = after?.packages[0]?.address.address === addresses[0];
      expect([code, after?.status, after?.version]).toEqual(
        isChanged ? ['none', 'processing', 3] : ['CONFLICT', 'processing', 2],
      );
      expectOneRoute(after);
    }
  });

  test('an answer comes too late for a package that goes on meanwhile', async () => {
    const { owner, keys } = await makeOrdered(db);
    const [key = ''] = keys;
    const actionRequired = { reasonLabel: 'Endereço incompleto', reasonDescription: 'Falta o número.' };
    await recordMovements(db, [movement(key, 6, { actionRequired })]);
    const write = await answerPackage(planDeps(db), owner, key, { phone: '+55 11 90000-1111' });
    await recordMovements(db, [movement(key, 11)]);
    expect(await faultOf(write(db))).toMatchObject({ code: 'CONFLICT' });
    expect(await countOf(db, 'package_answers', sql`loggi_key = ${key}`)).toBe(0);
  });

  test('a return is placed with its link, or neither is', async () => {
    const { owner, order, keys } = await makeOrdered(db);
    const [key = ''] = keys;
    await recordMovements(db, [movement(key, 5)]);
    const deps = { ...planDeps(db), placing: createPlacing({ db, codes, keys: codeRing, waitMs: 1_000 }) };
    const writes = [await returnPackage(deps, owner, key, {}), await returnPackage(deps, owner, key, {})];
    const faults = await Promise.all(writes.map((write) => faultOf(write(db))));
    expect(faults.map(({ code }) => code).sort()).toEqual(['CONFLICT', 'none']);
    const returnedBy = (await getOrder(db, owner, order.id))?.packages[0]?.returnedBy ?? '';
    expect(await getOrder(db, owner, returnedBy)).toMatchObject({ returnOf: key, status: 'created', version: 1 });
    expect(await countOf(db, 'orders', sql`account_id = ${owner.accountId}`)).toBe(2);
  });
});
