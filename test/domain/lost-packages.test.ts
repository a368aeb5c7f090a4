import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/base/clock.js';
import { answerPackage } from '../../src/orders/changes/answer-package.js';
import { requestForPackage } from '../../src/orders/changes/request-package.js';
import { completeTaskBy } from '../../src/orders/complete-task.js';
import { countErasable, eraseRecipients } from '../../src/orders/erase-recipients.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { getPackage } from '../../src/packages/queries.js';
import { haystack } from '../support/needles.js';
import { ownDatabase } from '../support/services.js';
import { codeRing, makeOrdered, movement, operator, planDeps } from './orders-fixtures.js';

const { db } = await ownDatabase();

const since = (days: number) => new Date(Date.now() - days * 86_400_000);
const finished = (daysAgo: number, lostAfterDays = 90) => ({ before: since(daysAgo), lostAfterDays });

async function erase(daysAgo: number): Promise<void> {
  for await (const _ of eraseRecipients(db, codeRing, finished(daysAgo)));
}

test('the recipient of a lost package is erased after the days, and again if the package is found', async () => {
  const { order, keys } = await makeOrdered(db);
  const [key = ''] = keys;
  await recordMovements(db, [movement(key, 9)]);
  const times = { created_at: since(120), updated_at: since(100) };
  await db.updateTable('orders').set(times).where('id', '=', order.id).execute();
  expect(await countErasable(db, finished(11))).toMatchObject({ orders: 0 });
  expect(await countErasable(db, finished(9, 0))).toMatchObject({ orders: 0 });
  expect(await countErasable(db, finished(9))).toMatchObject({ orders: 1, packages: 1 });
  await erase(9);
  expect((await getPackage(db, operator, key))?.recipient.name).toBe('Erased');
  expect(await countErasable(db, finished(9))).toMatchObject({ orders: 0 });
  const actionRequired = { reasonLabel: 'x', reasonDescription: 'Ask Quintiliana.' };
  await recordMovements(db, [movement(key, 6, { actionRequired })]);
  await recordMovements(db, [movement(key, 5)]);
  expect(await countErasable(db, finished(-1))).toMatchObject({ orders: 1 });
  await erase(-1);
  expect(await haystack(db, codeRing, { name: 'Quintiliana' })).toEqual({});
});

test('texts about a package whose recipient was erased are erased, too', async () => {
  const { owner, keys } = await makeOrdered(db, 2);
  const [delivered = '', waiting = ''] = keys;
  const actionRequired = { reasonLabel: 'x', reasonDescription: 'y' };
  await recordMovements(db, [movement(delivered, 5), movement(waiting, 6, { actionRequired })]);
  const eraseAll = async () => {
    for await (const _ of eraseRecipients(db, codeRing, finished(-91)));
  };
  const due = () => countErasable(db, finished(-91));
  await eraseAll();
  expect(await due()).toMatchObject({ orders: 0 });

  const inquiry = { kind: 'inquiry', problem: 'not_received', note: 'Ask Quintiliana.' } as const;
  const { id } = await (await requestForPackage({ db, clock: systemClock }, owner, delivered, inquiry))(db);
  const answer = await (await answerPackage(planDeps(db), owner, waiting, { note: 'Ask Hermenegilda.' }))(db);
  expect(await haystack(db, codeRing, { name: 'Quintiliana', other: 'Hermenegilda' })).not.toEqual({});
  expect(await due()).toMatchObject({ orders: 1 });
  await eraseAll();
  expect(await due()).toMatchObject({ orders: 0 });
  for (const task of [id, answer.id]) {
    await completeTaskBy(db, operator, task, { note: 'Told by Quintiliana.' });
    expect(await due()).toMatchObject({ orders: 1 });
    await eraseAll();
  }
  expect(await haystack(db, codeRing, { name: 'Quintiliana', other: 'Hermenegilda' })).toEqual({});
});
