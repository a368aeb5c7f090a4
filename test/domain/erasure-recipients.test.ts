import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { getErasure, requestRecipientErasure } from '../../src/accounts/erasures.js';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { once } from '../../src/idempotency/once.js';
import type { Scope } from '../../src/idempotency/stored-answers.js';
import { type ErasingOptions, eraseOnce } from '../../src/operator/erasing.js';
import { listAddressChanges } from '../../src/orders/changes/address-history.js';
import { answerPackage } from '../../src/orders/changes/answer-package.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { countErasable } from '../../src/orders/erase-recipients.js';
import { getOrder } from '../../src/orders/order.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { returnPackage } from '../../src/orders/returns.js';
import { eraseBodies } from '../../src/packages/erase-packages.js';
import type { NewMovement } from '../../src/packages/movement.js';
import { completeTask, listTasks, listTasksAbout } from '../../src/packages/tasks.js';
import { createFloors } from '../../src/queue/floors.js';
import { nextDeliveries } from '../../src/webhook/next-deliveries.js';
import { trackingSchema } from '../contract/contract-files.js';
import { schemaCheck } from '../contract/schema-check.js';
import { has, workAfter } from '../support/between.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { idAt } from '../support/ids.js';
import { haystack } from '../support/needles.js';
import { claimDue, register, ring, silent } from '../webhook/support.js';
import { actorOf, faultOf, makeAccount } from './accounts-fixtures.js';
import { inputOf, people, sendAll } from './erasure-fixtures.js';
import {
  codeRing,
  codes,
  makeOrdered,
  movement,
  placeOrder,
  planDeps,
  rowsRead,
  scopeOf as scopeOfOrder,
} from './orders-fixtures.js';

let database: TestDatabase;
let db: Db;
let owner: Actor;
let options: ErasingOptions;

beforeEach(async () => {
  database = await createDatabase();
  ({ db } = database);
  owner = { accountId: (await makeAccount(db)).id, role: 'customer' };
  options = { db: db, log: silent, keys: ring, eraseAfterDays: 30, personalDataDays: 0, lostAfterDays: 90 };
});
afterEach(() => database.drop());

const by = (before: Date) => ({ before, lostAfterDays: 90 });
const recipientOf = async (id: string) => (await getOrder(db, owner, id))?.packages[0]?.recipient.name;
const scopeOf = (key: string): Scope => ({ ...scopeOfOrder(owner, key), keys: ring });

/** Places an order as an interface does: the answer is stored for an idempotency key. */
async function placeOnce(key: string, person: typeof people.finished) {
  const planned = await planOrder(planDeps(db), owner.accountId, inputOf(person));
  return (await once(db, scopeOf(key), async () => (trx) => placeOrder(trx, planned))).answer;
}

const finish = async (loggiKey: string): Promise<NewMovement[]> => {
  const { name } = people.finished;
  const reported = [
    movement(loggiKey, 6, { actionRequired: { reasonLabel: 'Ausente', reasonDescription: `${name} não atende` } }),
    movement(loggiKey, 10, {
      pickupAgency: { address: 'Rua Augusta, 1500', city: 'São Paulo', state: 'SP', postalCode: '01304001' },
    }),
    movement(loggiKey, 5),
  ];
  await recordMovements(db, reported);
  return reported;
};

/** An operator sends a body again under an idempotency key, whose stored answer shows the body. */
async function shownToOperator(): Promise<string> {
  const { id: accountId } = await makeAccount(db, { role: 'operator' });
  const sent = await db.selectFrom('webhook_deliveries').select(['webhook_id', 'body']).execute();
  const { webhook_id, body } = sent.find((each) => each.body?.includes('reasonLabel":"Ausente')) ?? {};
  const scope = { ...scopeOf('replay'), accountId, operation: 'replayDelivery', interfaceName: 'operator' };
  const { answer } = await once(db, scope, async () => async () => ({ webhook_id, body: body?.toString() ?? '' }));
  return answer.body;
}

/** The number of times that a body contains the address where a package waits. */
const payloadTexts = (body: Buffer | null): number => (body?.toString().split('Rua Augusta').length ?? 1) - 1;

async function eraseNow(): Promise<void> {
  const { id } = await requestRecipientErasure(db, new Date(Date.now() + 1000));
  await eraseOnce(options);
  expect(await getErasure(db, id)).toMatchObject({ orders: 1, finishedAt: expect.any(Date) });
}

describe('the erasure of recipients', () => {
  test('removes them from every column of every table, and changes no unfinished order', async () => {
    await register(db, owner.accountId, { url: 'https://hooks.example.com/erasure' });
    const order = await placeOnce('finished', people.finished);
    const open = await placeOnce('open', people.open);
    const [first] = order.packages;
    const reported = await finish(first?.loggiKey ?? '');
    await sendAll(db, 4);
    const { latitude, longitude } = first?.place ?? {};
    const place = { latitude: String(latitude), longitude: String(longitude) };
    const needles = { ...people.finished, agency: 'Rua Augusta', ...place };
    // Both orders have the same address. Without this answer the searched text belongs to one order only.
    await db.deleteFrom('idempotency_keys').where('key', '=', 'open').execute();
    const elsewhere = { latitude: 1, longitude: 2, address: 'x', postal_code: null };
    for (const table of ['packages', 'pickups'] as const)
      await db.updateTable(table).set(elsewhere).where('order_id', '=', open.id).execute();
    const streets = { street: 'dos Pinheiros', cep: '05422', pickup: 'Paulista', pickupCep: '01310' };
    const body = await shownToOperator();
    expect(body).toContain(people.finished.name);

    const [before, answer] = [await haystack(db, ring, { ...needles, ...streets }), 'public.idempotency_keys.answer'];
    expect(before).toMatchObject({
      name: [
        'public.idempotency_keys.answer',
        'public.movements.reason_description',
        'public.packages.recipient_name',
        'public.webhook_attempts.response_body',
        'public.webhook_deliveries.body',
      ],
      phone: [answer, 'public.packages.recipient_phone'],
      complement: ['public.idempotency_keys.answer', 'public.packages.complement', 'public.pickups.complement'],
      note: ['public.idempotency_keys.answer', 'public.packages.instructions', 'public.pickups.instructions'],
      ...{ sender: [answer, 'public.pickups.sender_name'], senderPhone: [answer, 'public.pickups.sender_phone'] },
      fact: [answer, 'public.orders.metadata'],
      agency: ['public.movements.agency_address', 'public.webhook_deliveries.body'],
      latitude: [answer, 'public.packages.latitude'],
      ...{ street: [answer, 'public.packages.address'], pickup: [answer, 'public.pickups.address'] },
    });

    await eraseNow();
    expect(await haystack(db, ring, { ...needles, ...streets })).toEqual({});
    expect(await haystack(db, ring, people.open)).toMatchObject({ name: ['public.packages.recipient_name'] });

    const check = schemaCheck(trackingSchema);
    const bodies = await db.selectFrom('webhook_deliveries').select('body').execute();
    expect(bodies.flatMap(({ body }) => check('#', JSON.parse(body?.toString() ?? '')))).toEqual([]);
    expect(bodies.some(({ body }) => body?.includes('"reasonDescription":"Erased"'))).toBe(true);

    const again = await recordMovements(db, reported);
    expect(again.outcomes.map(({ result }) => result)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    const replay = once(db, scopeOf('finished'), () => Promise.reject(new Error('done again')));
    await expect(replay).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('also changes a body that is frozen during the erasure', async () => {
    await register(db, owner.accountId, { url: 'https://hooks.example.com/late' });
    const { packages } = await placeOnce('late', people.finished);
    await sendAll(db, 1);
    await finish(packages[0]?.loggiKey ?? '');
    // The erasure begins after the movements of the body were read and before they are written.
    const slow = workAfter(db, has('history'), eraseNow);
    const freeze = async (from: Db) =>
      nextDeliveries({ db: from, floors: createFloors(), log: silent }, await claimDue(db));
    expect(await freeze(slow)).toEqual([]);
    expect((await freeze(db)).map(({ body }) => body.includes('Erased'))).toEqual([true]);
    expect(await haystack(db, ring, people.finished)).toEqual({});
  });

  test('of two orders at once removes both from the bodies that they share', async () => {
    await register(db, owner.accountId, { url: 'https://hooks.example.com/shared' });
    const [one, two] = [await placeOnce('one', people.finished), await placeOnce('two', people.open)];
    await sendAll(db, 1);
    await finish(one.packages[0]?.loggiKey ?? '');
    await finish(two.packages[0]?.loggiKey ?? '');
    await sendAll(db, 4);
    const whole = await db.selectFrom('webhook_deliveries').selectAll().execute();
    expect(whole.some(({ body }) => payloadTexts(body) === 2)).toBe(true);
    const erase = (id: string) => sql`update orders set recipients_erased_at = now() where id = ${id}`.execute(db);
    await erase(one.id);
    // This erasure has found its bodies. Another erasure changes the same bodies before it goes on.
    const slow = workAfter(db, has('loggi_key'), async () => {
      await erase(two.id);
      await eraseBodies(db, ring);
    });
    await eraseBodies(slow, ring);
    const left = await db.selectFrom('webhook_deliveries').select('body').execute();
    expect(left.filter(({ body }) => payloadTexts(body) > 0)).toEqual([]);
  });

  test('keeps codes, municipality, prices and times, and gives the order a new version', async () => {
    const { id } = await placeOnce('kept', people.finished);
    const key = (await getOrder(db, owner, id))?.packages[0]?.loggiKey ?? '';
    await finish(key);
    const before = await getOrder(db, owner, id);
    await eraseNow();
    const after = await getOrder(db, owner, id);
    const [was, is] = [before?.packages[0], after?.packages[0]];
    expect(after).toMatchObject({
      pricing: before?.pricing,
      route: before?.route,
      status: 'completed',
      createdAt: before?.createdAt,
      updatedAt: before?.updatedAt,
      version: (before?.version ?? 0) + 1,
    });
    const { trackingCode, barcode, waypoint, promisedDate, dimensions, status } = was ?? {};
    expect(is).toMatchObject({ trackingCode, barcode, waypoint, promisedDate, dimensions, status });
    expect(is).toMatchObject({ recipient: { name: 'Erased', phone: '00000000' }, address: { address: 'Erased' } });
    const place = { city: 'São Paulo', state: 'SP', precision: 'city', latitude: 0, longitude: 0 };
    expect([is?.place, after?.pickups[0]?.place]).toEqual([place, place]);
  });

  test('concerns finished orders only, can count them first, and erases none twice', async () => {
    const { packages } = await placeOnce('one', people.finished);
    await placeOnce('two', people.open);
    const soon = new Date(Date.now() + 60_000);
    const nothing = { orders: 0, pickups: 0, packages: 0, more: false };
    expect(await countErasable(db, by(soon))).toEqual(nothing);
    await finish(packages[0]?.loggiKey ?? '');
    expect(await countErasable(db, by(new Date(Date.now() - 60_000)))).toEqual(nothing);
    expect(await countErasable(db, by(soon))).toEqual({ ...nothing, orders: 1, pickups: 1, packages: 1 });
    await eraseNow();
    expect(await countErasable(db, by(soon))).toEqual(nothing);
    const { id } = await requestRecipientErasure(db, soon);
    await eraseOnce(options);
    expect(await getErasure(db, id)).toMatchObject({ orders: 0, finishedAt: expect.any(Date) });
  });

  test('runs by itself after PERSONAL_DATA_DAYS, once a day for all processes together', async () => {
    const { id, packages } = await placeOnce('one', people.finished);
    await finish(packages[0]?.loggiKey ?? '');
    const daily = { ...options, personalDataDays: 3 };
    await Promise.all([eraseOnce(daily), eraseOnce(daily), eraseOnce(daily)]);
    expect(await recipientOf(id)).toBe(people.finished.name);
    await sql`update orders set created_at = now() - interval '9 days', updated_at = now() - interval '4 days'`.execute(
      db,
    );
    await sql`delete from erasures`.execute(db);
    await Promise.all([eraseOnce(daily), eraseOnce(daily), eraseOnce(daily)]);
    expect(await recipientOf(id)).toBe('Erased');
    const erasures = await db.selectFrom('erasures').select(['kind', 'orders']).execute();
    expect(erasures).toEqual([{ kind: 'recipients', orders: 1 }]);
  });

  test('is continued by another process when one ends in the middle', async () => {
    const { id, packages } = await placeOnce('one', people.finished);
    await finish(packages[0]?.loggiKey ?? '');
    await requestRecipientErasure(db, new Date(Date.now() + 1000));
    await sql`update erasures set leased_until = now() + interval '1 minute'`.execute(db);
    await eraseOnce(options);
    expect(await recipientOf(id)).toBe(people.finished.name);
    await sql`update erasures set leased_until = now() - interval '1 second'`.execute(db);
    await eraseOnce(options);
    expect(await recipientOf(id)).toBe('Erased');
  });

  test('goes through all orders page by page, and reads each once', async () => {
    const { id } = await placeOnce('one', people.finished);
    const many = 3_345;
    await sql`
      insert into orders (id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
        distance_metres, distance_source, pickup_count, package_count, created_at, updated_at)
      select ${idAt(sql`now() - number * interval '1 minute'`)}, account_id, 'cancelled', payment_method_id, rate_card_version, price_lines, total_centavos,
        distance_metres, distance_source, 1, 1, now() - number * interval '1 minute', now() - interval '1 second'
      from orders, generate_series(1, ${many}::integer) as number where orders.id = ${id}`.execute(db);
    await sql`analyze orders`.execute(db);
    const read = await db.transaction().execute(async (trx) => {
      const before = await rowsRead(trx, 'orders');
      const counts = { orders: many, pickups: many, packages: many, more: false };
      expect(await countErasable(trx, by(new Date()))).toEqual(counts);
      return (await rowsRead(trx, 'orders')) - before;
    });
    expect(read).toBeLessThan(1.2 * many);
    await sql`delete from orders where status = 'cancelled' and created_at < now() - interval '1345.5 minutes'`.execute(
      db,
    );
    const { id: erasure } = await requestRecipientErasure(db, new Date());
    await eraseOnce(options);
    expect(await getErasure(db, erasure)).toMatchObject({ orders: 1345, finishedAt: expect.any(Date) });
  });
});

test('the erasure of recipients removes them from answers, tasks, changes of address and stored answers', async () => {
  const needles = {
    phone: '+55 11 97531-8642',
    note: 'Zulmira Quaresma',
    complement: 'casa dos fundos',
    instructions: 'tocar o sino',
    said: 'falei com Zulmira',
    firstStreet: 'Marechal Deodoro',
    nextStreet: 'Cunha Gago',
  };
  const clerk = actorOf(await makeAccount(db, { role: 'operator' }));
  const { owner, keys } = await makeOrdered(db);
  /** Writes as an interface does: the answer is stored for an idempotency key. */
  const answered = async <T extends object>(actor: Actor, operation: string, write: (trx: Db) => Promise<T>) =>
    (await once(db, { ...scopeOf(operation), accountId: actor.accountId, operation }, async () => write)).answer;
  const [key = ''] = keys;
  const deps = planDeps(db);
  const { complement } = needles;
  const address = { address: `Rua ${needles.firstStreet}, 12 - Centro, São Paulo - SP`, complement };
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
  const correction = { address: `Rua ${needles.nextStreet}, 700 - Pinheiros, São Paulo - SP`, complement };
  const answer = await answerPackage(deps, owner, key, { phone, note, instructions, address: correction });
  const { id } = await answered(owner, 'answerActionRequired', answer);
  await answered(clerk, 'completeTask 01930f63', (trx) => completeTask(trx, clerk, id, { note: needles.said }));
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
  await eraseOnce(options);
  expect(await haystack(db, ring, needles)).toEqual({});

  const page = { page: 1, pageSize: 20 };
  const erased = { address: 'Erased' };
  expect((await listTasksAbout(db, owner, { written: 'answers', loggiKey: key }, page)).rows).toMatchObject([
    { phone: '00000000', ...erased, instructions: null, note: 'Erased', completion_note: 'Erased' },
  ]);
  expect((await listTasks(db, { state: 'done' }, page)).total).toBe(1);
  expect((await listAddressChanges(db, owner, key, page)).rows).toMatchObject([
    { from: erased, to: erased, repricing: null },
    { from: erased, to: erased, repricing: { newTotalCentavos: totalCentavos } },
  ]);
  expect(await faultOf(returnPackage({ ...deps, placing }, owner, key, {}))).toMatchObject({ code: 'CONFLICT' });
});
