import { expect, test } from '@jest/globals';
import { v7 } from 'uuid';
import { requestRecipientErasure } from '../../src/accounts/erasures.js';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { fingerprintOf, once } from '../../src/idempotency/once.js';
import { eraseOnce } from '../../src/operator/erasing.js';
import { listAddressChanges, noteAddressChange } from '../../src/orders/changes/address-history.js';
import { answerPackage } from '../../src/orders/changes/answer-package.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { dropOldOrders } from '../../src/orders/retention/old-orders.js';
import { returnPackage } from '../../src/orders/returns.js';
import { addPackageAnswer, completeTask, listPackageAnswers, listTasks } from '../../src/packages/tasks.js';
import { haystack } from '../support/needles.js';
import { ownDatabase } from '../support/services.js';
import { ring, silent } from '../webhook/support.js';
import { actorOf, faultOf, makeAccount } from './accounts-fixtures.js';
import { codeRing, codes, makeOrdered, movement, orderInput, planDeps } from './orders-fixtures.js';

const { db } = await ownDatabase();
const clerk = actorOf(await makeAccount(db, { role: 'operator' }));

const needles = {
  phone: '+55 11 97531-8642',
  note: 'Zulmira Quaresma',
  complement: 'casa dos fundos',
  instructions: 'tocar o sino',
  said: 'falei com Zulmira',
  firstStreet: 'Marechal Deodoro',
  nextStreet: 'Cunha Gago',
};
const page = { page: 1, pageSize: 20 };
const street = `Rua ${needles.firstStreet}, 12 - Centro, São Paulo - SP`;
const corrected = `Rua ${needles.nextStreet}, 700 - Pinheiros, São Paulo - SP`;

/** Writes under an idempotency key, as an interface does: what is answered is stored. */
async function answered<T extends object>(actor: Actor, operation: string, write: (trx: Db) => Promise<T>): Promise<T> {
  const { accountId } = actor;
  const fingerprint = fingerprintOf({ operation });
  const scope = { accountId, operation, key: operation, interfaceName: 'rest', keys: ring, fingerprint };
  return (await once(db, scope, async () => write)).answer;
}

test('the erasure of recipients leaves nothing of them in answers, tasks, changes of address, or what was answered', async () => {
  const { owner, keys } = await makeOrdered(db);
  const [key = ''] = keys;
  const deps = planDeps(db);
  const address = { address: street, complement: needles.complement };
  const preview = await changeAddress(deps, owner, key, { address });
  const { order } = await answered(clerk, 'changeAddress', preview);
  const { totalCentavos } = order.pricing;
  await answered(owner, 'cancelPackage', await cancelPackage(deps, owner, key, { preview: true }));
  await answered(clerk, 'cancelPackageForShipper 01930f63', await cancelPackage(deps, owner, key, { preview: true }));
  await answered(clerk, 'changeAddressForShipper 01930f63', await changeAddress(deps, owner, key, { address }));
  await answered(owner, 'changeAddress', await changeAddress(deps, owner, key, { address, totalCentavos }));

  const actionRequired = { reasonLabel: 'Ausente', reasonDescription: 'Ninguém atende.' };
  await recordMovements(db, [movement(key, 6, { actionRequired })]);
  const { phone, note, instructions } = needles;
  const correction = { address: corrected, complement: needles.complement };
  const answer = await answerPackage(deps, owner, key, { phone, note, instructions, address: correction });
  const { id } = await answered(owner, 'answerActionRequired', answer);
  await answered(clerk, 'completeTask 01930f63', (trx) => completeTask(trx, clerk, id, needles.said));
  await recordMovements(db, [movement(key, 5)]);

  const placing = createPlacing({ db, codes, keys: codeRing, waitMs: 1_000 });
  const back = await answered(owner, 'returnPackage', await returnPackage({ ...deps, placing }, owner, key, {}));
  await recordMovements(db, [movement(back.packages[0]?.loggiKey ?? '', 2)]);

  const columns = await haystack(db, ring, needles);
  expect(columns).toMatchObject({
    phone: ['public.idempotency_keys.answer', 'public.package_answers.phone', 'public.packages.recipient_phone'],
    note: ['public.idempotency_keys.answer', 'public.package_answers.note'],
    said: ['public.idempotency_keys.answer', 'public.package_answers.completion_note'],
    firstStreet: expect.arrayContaining(['public.address_changes.from_address', 'public.address_changes.to_address']),
    nextStreet: expect.arrayContaining(['public.package_answers.address', 'public.pickups.address']),
    complement: expect.arrayContaining([
      'public.address_changes.from_complement',
      'public.address_changes.to_complement',
      'public.package_answers.complement',
    ]),
  });

  await requestRecipientErasure(db, new Date(Date.now() + 1000));
  await eraseOnce({ db, log: silent, keys: ring, eraseAfterDays: 30, personalDataDays: 0 });
  expect(await haystack(db, ring, needles)).toEqual({});

  const erased = { address: 'Erased' };
  expect((await listPackageAnswers(db, owner, key, page)).rows).toMatchObject([
    { phone: '00000000', ...erased, instructions: null, note: 'Erased', completion_note: 'Erased' },
  ]);
  expect((await listTasks(db, { state: 'done' }, page)).total).toBe(1);
  expect((await listAddressChanges(db, owner, key, page)).rows).toMatchObject([
    { from: erased, to: erased, repricing: null },
    { from: erased, to: erased, repricing: { newTotalCentavos: totalCentavos } },
  ]);
  expect(await faultOf(returnPackage({ ...deps, placing }, owner, key, {}))).toMatchObject({ code: 'CONFLICT' });
});

test('answers, changes of address and returns go with the orders that they are of', async () => {
  const { owner, order: young } = await makeOrdered(db);
  const planned = await planOrder(planDeps(db), owner.accountId, orderInput());
  const id = v7({ msecs: Date.now() - 62 * 86_400_000 });
  const [old] = await insertOrders(db, [{ id, planned }], { codes, keys: codeRing });
  for (const { id: orderId, packages } of [young, ...(old ? [old] : [])]) {
    const of = { loggiKey: packages[0]?.loggiKey ?? '', orderId, accountId: owner.accountId };
    await addPackageAnswer(db, { ...of, phone: null, address: null, instructions: null, note: 'x', applied: [] });
    await noteAddressChange(db, owner, { ...of, from: { address: 'x' }, to: { address: 'y' } });
    await db.insertInto('package_returns').values({ order_id: orderId, loggi_key: of.loggiKey }).execute();
  }
  await recordMovements(db, [movement(old?.packages[0]?.loggiKey ?? '', 5)]);
  const left = async () =>
    Promise.all(
      (['package_answers', 'address_changes', 'package_returns'] as const).map(async (table) => {
        const ofBoth = db.selectFrom(table).select('order_id').where('order_id', 'in', [young.id, id]);
        return (await ofBoth.orderBy('order_id').execute()).map(({ order_id }) => order_id);
      }),
    );
  const both = [id, young.id];
  expect(await left()).toEqual([both, both, both]);
  await dropOldOrders(db, 0);
  expect(await left()).toEqual([[young.id], [young.id], [young.id]]);
});
