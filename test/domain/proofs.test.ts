import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { reseal } from '../../src/db/sealing/reseal.js';
import { sealObstacle } from '../../src/db/sealing/sealed-tables.js';
import { sealed } from '../../src/db/tables/sealed.js';
import { cleanPicture } from '../../src/files/picture-file.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { createRecording } from '../../src/orders/record-together.js';
import type { MovementOutcome, NewMovement, Proof } from '../../src/packages/movement.js';
import { getPicture, putPicture } from '../../src/packages/proof/pictures.js';
import { getPinState, shownPin } from '../../src/packages/proof/pins.js';
import { getProof } from '../../src/packages/proof/proofs.js';
import { sealFor } from '../../src/packages/proof/sealed.js';
import { getPackage } from '../../src/packages/queries.js';
import { haystack } from '../support/needles.js';
import { jpeg, png } from '../support/pictures.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, makeAccount, ring } from './accounts-fixtures.js';
import { codeRing, movement, orderInput, placeOrder, planDeps } from './orders-fixtures.js';

const { db } = await ownDatabase();
const owner = actorOf(await makeAccount(db));
beforeEach(async () => {
  await sql`truncate delivery_proofs, delivery_pictures, delivery_pins`.execute(db);
});

const proof: Proof = { recipientName: 'Zulmira Quaresma', position: { latitude: -23.5, longitude: -46.6 } };

/** A package with a PIN. */
async function withPin() {
  const { pickups, packages } = orderInput(2);
  const input = { pickups, packages: packages.map((each, at) => ({ ...each, deliveryPin: at === 0 })) };
  const { id, packages: placed } = await placeOrder(db, await planOrder(planDeps(db), owner.accountId, input));
  const [first, second] = placed;
  if (!first) throw new Error('the order has no package');
  const pin = shownPin(owner, codeRing, first) ?? '';
  const wrong = pin === '111111' ? '222222' : '111111';
  return { orderId: id, key: first.loggiKey, other: second?.loggiKey ?? '', pin, wrong };
}

const delivery = (key: string, pin: string, more: Partial<NewMovement> = {}) =>
  movement(key, 5, { handover: { pin, proof, keys: codeRing }, ...more });
const results = (outcomes: readonly MovementOutcome[]) =>
  outcomes.map((each) => ('field' in each ? `${each.result} ${each.field}` : each.result));
const here = new AbortController().signal;
const photoOf = (loggiKey: string) => ({ loggiKey, kind: 'photo' }) as const;

/** A delivered package with every kind of proof. */
async function proven() {
  const made = await withPin();
  const delivered = delivery(made.key, made.pin);
  expect(results((await recordMovements(db, [delivered])).outcomes)).toEqual(['recorded']);
  await putPicture(db, codeRing, photoOf(made.key), png(), here);
  return { ...made, delivered };
}

test('requests that are recorded together are independent: the PIN of one neither helps nor harms another', async () => {
  const { key, other, pin, wrong } = await withPin();
  const recording = createRecording({ db, waitMs: 10_000 });
  const report = async (...items: NewMovement[]) => {
    const write = recording.writeOf(items, (outcomes) => [...outcomes]);
    return results(await ('commit' in write ? write.commit() : write(db)));
  };
  // The first request goes alone. The others wait for it and are recorded together.
  const [first, ...rest] = await Promise.all([
    report(movement(other, 3)),
    report(delivery(key, wrong)),
    report(movement(key, 11), delivery(key, wrong)),
    report(delivery(key, pin)),
    report(movement(other, 11), delivery(key, pin)),
  ]);
  expect(first).toEqual(['recorded']);
  expect(rest).toEqual([
    ['refused pin'],
    ['recorded', 'refused pin'],
    ['recorded'],
    ['recorded', 'refused statusCode'],
  ]);
  expect(await getPinState(db, key)).toMatchObject({ state: 'confirmed', wrongTries: 2 });
});

test('wrong tries and proofs are written together with the movements, or not at all', async () => {
  const { key, pin, wrong } = await withPin();
  const failing = db.transaction().execute(async (trx) => {
    await recordMovements(trx, [delivery(key, wrong), delivery(key, pin)]);
    throw new Error('the process ends');
  });
  await expect(failing).rejects.toThrow('the process ends');
  expect(await getPinState(db, key)).toMatchObject({ state: 'waiting', wrongTries: 0 });
  expect(await db.selectFrom('delivery_proofs').select('loggi_key').execute()).toEqual([]);
});

describe('a sealed proof', () => {
  test('cannot be read in the database, and opens only for its own package and purpose', async () => {
    const { key } = await proven();
    const needle = { name: 'Zulmira', latitude: '-46.6,' };
    const foreign = ring('other');
    expect(await haystack(db, foreign, needle)).toEqual({});
    expect(await haystack(db, codeRing, needle)).toMatchObject({ name: ['public.delivery_proofs.facts'] });
    await sql`update delivery_pictures set kind = 'signature'`.execute(db);
    await expect(getPicture(db, owner, codeRing, { loggiKey: key, kind: 'signature' })).rejects.toThrow(
      'another owner',
    );
  });

  test('can be sealed again with a new key; a process without its key is not ready', async () => {
    const { key } = await proven();
    const open = await withPin();
    const [next] = ring('next');
    const kinds = [sealed.proofs, sealed.pictures, sealed.pins];
    expect(await sealObstacle(db, [next], kinds)).toMatchObject({
      text: expect.stringContaining('proofs of delivery, photos and signatures of deliveries, PINs of packages'),
    });
    const { resealed, complete } = await reseal(db, [next, ...codeRing], kinds, () => undefined);
    expect([complete, Object.values(resealed)]).toEqual([true, [1, 1, 2]]);
    expect(await sealObstacle(db, [next], kinds)).toBeUndefined();
    expect(await getProof(db, owner, [next], key)).toMatchObject({ ...proof, pin: 'confirmed' });
    expect(await getPicture(db, owner, [next], photoOf(key))).toEqual(await cleanPicture(png(), here));
    const found = await getPackage(db, owner, open.key);
    expect(found && shownPin(owner, [next], found)).toBe(open.pin);
  });
});

test('a proof is erased with its recipient by any release; its movement is still recognised', async () => {
  const { orderId, key, delivered } = await proven();
  const open = await withPin();
  // A process of an earlier release marks the order in this way.
  await sql`update orders set recipients_erased_at = now() where id = ${orderId}`.execute(db);
  expect(await haystack(db, codeRing, { name: 'Zulmira', pixels: 'IHDR' })).toEqual({});
  await expect(getProof(db, owner, codeRing, key)).rejects.toThrow('proof of delivery');
  await expect(getPicture(db, owner, codeRing, photoOf(key))).rejects.toThrow('photo');
  expect(await db.selectFrom('delivery_pictures').select('sent_hash').execute()).toEqual([]);
  const again = { loggiKey: key, kind: 'signature' } as const;
  await expect(putPicture(db, codeRing, again, png(), here)).rejects.toThrow('erased');
  expect(results((await recordMovements(db, [delivered])).outcomes)).toEqual(['duplicate']);
  await expect(getPinState(db, key)).rejects.toThrow('PIN');
  expect(await getPinState(db, open.key)).toMatchObject({ state: 'waiting' });
});

describe('a picture that is sent again', () => {
  test('is recognised by the bytes that were sent, not by the stored bytes', async () => {
    const { key } = await proven();
    const { bytes } = await getPicture(db, owner, codeRing, photoOf(key));
    expect(bytes.equals(png())).toBe(false);
    await putPicture(db, codeRing, photoOf(key), png(), here);
    for (const other of [bytes, png(1, 1), jpeg()])
      await expect(putPicture(db, codeRing, photoOf(key), other, here)).rejects.toThrow('another photo');
    expect((await getPicture(db, owner, codeRing, photoOf(key))).bytes.equals(bytes)).toBe(true);
  });

  test('is recognised if an earlier release stored it unchanged, and stays unchanged', async () => {
    const { key } = await proven();
    const sealed = sealFor(codeRing, key, 'photo', jpeg());
    await db.updateTable('delivery_pictures').set({ sealed, media_type: 'image/jpeg', sent_hash: null }).execute();
    await putPicture(db, codeRing, photoOf(key), jpeg(), here);
    await expect(putPicture(db, codeRing, photoOf(key), png(), here)).rejects.toThrow('another photo');
    expect((await getPicture(db, owner, codeRing, photoOf(key))).bytes.equals(jpeg())).toBe(true);
  });

  test('is stored once when two come at once, and a refused one is not decoded', async () => {
    const { key, other } = await proven();
    const signature = { loggiKey: key, kind: 'signature' } as const;
    const sent = [jpeg(), jpeg(), png()].map((each) => putPicture(db, codeRing, signature, each, here));
    const outcomes = (await Promise.allSettled(sent)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect(outcomes[0] === 'fulfilled').toBe(outcomes[1] === 'fulfilled');
    expect(outcomes[2] === 'fulfilled').toBe(outcomes[0] === 'rejected');
    const noPicture = Buffer.from('no picture');
    await expect(putPicture(db, codeRing, photoOf(other), noPicture, here)).rejects.toThrow('not recorded');
    await expect(putPicture(db, codeRing, photoOf(key), noPicture, here)).rejects.toThrow('another photo');
  });
});
