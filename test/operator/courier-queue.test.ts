import { createServer } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import {
  type Entry,
  maxFailures,
  movementEntry,
  pictureEntry,
  type Received,
  type Refusal,
  receiptEntry,
  type Store,
  sendWaiting,
} from '../../contracts/examples/courier/queue.js';
import type { KeyScope } from '../../src/base/actor.js';
import { blobOf, jpeg } from '../support/pictures.js';
import { listening } from '../support/port.js';
import { proxyTo, type TcpProxy } from '../support/proxy.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { at, atPackage, bodyOf, movement, newPackage, placeOrder, resultsOf, soon, withPin } from './fixtures.js';

/** The offline queue of the guide (contracts/guides/courier.md) loses no entry, and no entry takes effect twice. */

const [service, strict] = [await ownService(), await ownService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' })];
const { operator } = service.operator;
const customer = await service.customer();
const newKey = (scope: KeyScope = 'courier', by = service) =>
  bodyOf(by.operator.operator.POST('/operator/v1/operator-keys', { body: { name: 'Phone', scope } }));
const { secret: key } = await newKey();

class Phone implements Store {
  waiting: Entry[] = [];
  readonly refused: Refusal[] = [];
  readonly received: Received[] = [];
  private readonly failures = new Map<Entry, number>();
  countFailure = async (entry: Entry) => {
    this.failures.set(entry, (this.failures.get(entry) ?? 0) + 1);
    return this.failures.get(entry) ?? 0;
  };
  oldest = async () => this.waiting[0];
  settle = async (entry: Entry, refusal: Refusal | undefined, received: Received | undefined) => {
    this.waiting = this.waiting.filter((each) => each !== entry);
    if (refusal) this.refused.push(refusal);
    if (received) this.received.push(received);
  };
}

let phone: Phone;
beforeEach(() => {
  phone = new Phone();
});

const send = (url = service.url, by = key) => sendWaiting(phone, url.replace(/\/$/, ''), by);

const movementsOf = async (loggiKey: string) =>
  (await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(loggiKey)))).data;

const delivery = (loggiKey: string, more = {}) =>
  movementEntry(movement(loggiKey, { status_code: 5, happened_at: soon(0), ...more }));

/** Sends the waiting requests. Answers to requests that contain `text` get lost on the way back. */
async function sendInVain(text: string): Promise<TcpProxy> {
  const proxy = await proxyTo(service.url);
  proxy.loseAnswersTo(text);
  expect(await send(proxy.url)).toEqual({ why: 'wait', seconds: 30 });
  expect(proxy.lost()).toBeGreaterThan(0);
  return proxy;
}

test('a delivery whose answer got lost is sent again, is recorded once, and its picture follows', async () => {
  const loggiKey = await newPackage(customer);
  const photo = blobOf(jpeg());
  phone.waiting = [
    delivery(loggiKey, { proof: { recipient_name: 'Marta Lima' } }),
    pictureEntry(loggiKey, 'photo', photo),
  ];
  const proxy = await sendInVain('/operator/v1/movements');
  await proxy.cut();
  await waitFor(async () => (await movementsOf(loggiKey)).length === 2, 'the movement whose answer got lost');
  expect(phone.waiting).toHaveLength(2);
  // The phone has no network now.
  expect(await send(proxy.url)).toEqual({ why: 'wait', seconds: 30 });
  expect(await send()).toEqual({ why: 'empty' });
  expect((await movementsOf(loggiKey)).map(({ status_code }) => status_code)).toEqual([5, 1]);
  const proof = await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/proof', atPackage(loggiKey)));
  expect(proof).toMatchObject({ recipient_name: 'Marta Lima', photo: { media_type: 'image/jpeg' } });
  expect([phone.waiting, phone.refused]).toEqual([[], []]);
});

test('a receipt whose answer got lost collects each package once, and names missing and extra ones', async () => {
  const { packages } = await placeOrder(customer, 3);
  const [first, second, absent] = packages;
  const [stray] = (await placeOrder(customer)).packages;
  const keys = packages.map((each) => each.loggi_key);
  const list = await bodyOf(customer.rest.POST('/api/v1/collections', { body: { loggi_keys: keys } }));
  const scanned = [first, second, stray].map((each) => each?.barcode ?? '');
  phone.waiting = [receiptEntry(list.code, { happened_at: soon(0), scanned })];
  const proxy = await sendInVain(`/operator/v1/collections/${list.code}/receipt`);
  await proxy.cut();
  await waitFor(async () => (await movementsOf(keys[0] ?? '')).length === 2, 'the receipt whose answer got lost');
  expect([phone.waiting.length, phone.received]).toEqual([1, []]);
  // The courier also collects the package that is not on the list.
  phone.waiting.push(movementEntry(movement(stray?.loggi_key ?? '', { status_code: 14, happened_at: soon(0) })));
  expect(await send()).toEqual({ why: 'empty' });
  expect(phone.received).toMatchObject([
    { collected: 2, missing: 1, refused: 0, extra_codes: [stray?.barcode], happened_at: expect.any(String) },
  ]);
  const statuses = [first, second, absent, stray].map(async (each) =>
    (await movementsOf(each?.loggi_key ?? '')).map(({ status_code: code }) => code),
  );
  expect(await Promise.all(statuses)).toEqual([[14, 1], [14, 1], [1], [14, 1]]);
  phone.waiting = [receiptEntry(list.code, { happened_at: soon(0), missing: [] })];
  expect(await send()).toEqual({ why: 'empty' });
  expect(phone.refused).toMatchObject([{ reason: 'collection_state' }]);
});

test('a wrong PIN whose answer got lost is counted once, and the right one is a new movement', async () => {
  const { key: loggiKey, pin, wrong } = await withPin(customer);
  const state = () => bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/pin', atPackage(loggiKey)));
  phone.waiting = [delivery(loggiKey, { pin: wrong })];
  const proxy = await sendInVain('/operator/v1/movements');
  await proxy.cut();
  await waitFor(async () => (await state()).wrong_tries === 1, 'the wrong PIN whose answer got lost');
  expect(await send()).toEqual({ why: 'empty' });
  expect(phone.refused).toEqual([{ reason: 'invalid_fields', fieldCode: 'incorrect' }]);
  expect(await state()).toMatchObject({ state: 'waiting', wrong_tries: 1 });
  phone.waiting = [delivery(loggiKey, { pin })];
  expect(await send()).toEqual({ why: 'empty' });
  expect(await state()).toMatchObject({ state: 'confirmed' });
});

test('a refused event is set aside with its reason, and does not hold up the others', async () => {
  const [ended, other] = [await newPackage(customer), await newPackage(customer)];
  await resultsOf(service.operator, movement(ended, { status_code: 5 }));
  const taken = movement(other, { status_code: 14 });
  phone.waiting = [
    movementEntry(movement(ended, { status_code: 18, happened_at: soon(60_000) })),
    movementEntry({ id: crypto.randomUUID(), barcode: '378912345678901232', status_code: 11, happened_at: soon(0) }),
    movementEntry(taken),
    movementEntry({ ...taken, status_code: 11 }),
    movementEntry(movement(other, { happened_at: soon(3_600_000) })),
    movementEntry(movement(other, { status_code: 6 })),
    movementEntry({ ...movement(other), happened_at: 'now' }),
    pictureEntry(other, 'photo', blobOf(jpeg())),
    pictureEntry(ended, 'photo', blobOf(jpeg().subarray(0, 300))),
    movementEntry(movement(other, { status_code: 11 })),
  ];
  expect(await send()).toEqual({ why: 'empty' });
  expect(phone.refused.map(({ reason, fieldCode }) => [reason, fieldCode])).toEqual([
    ['package_final', 'state'],
    ['record_not_found', 'not_found'],
    ['movement_id_taken', 'taken'],
    ['invalid_fields', 'too_late'],
    ['invalid_fields', 'required'],
    ['invalid_fields', 'pattern'],
    ['package_not_delivered', undefined],
    ['picture_unreadable', 'unreadable'],
  ]);
  expect(new Set((await movementsOf(other)).map(({ status_code }) => status_code))).toEqual(new Set([1, 14, 11]));
});

test('an entry that makes the service fail again and again is set aside with its request id, and the next is sent', async () => {
  const [failing, other] = [await newPackage(customer), await newPackage(customer)];
  await sql`create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`.execute(
    service.db,
  );
  await sql`create trigger fail before insert on movements for each row
    when (new.loggi_key = ${sql.lit(failing)}) execute function fail()`.execute(service.db);
  phone.waiting = [failing, other].map((loggiKey) => movementEntry(movement(loggiKey, { status_code: 11 })));
  for (let failure = 1; failure < maxFailures; failure += 1)
    expect([await send(), phone.waiting.length]).toEqual([{ why: 'wait', seconds: 30 }, 2]);
  expect(await send()).toEqual({ why: 'empty' });
  const requestId = expect.stringMatching(/./);
  expect(phone.refused).toEqual([{ reason: 'internal_error', fieldCode: undefined, requestId }]);
  expect((await movementsOf(other)).map(({ status_code }) => status_code)).toEqual([11, 1]);
});

describe('no entry is lost', () => {
  const waits = () => movementEntry(movement('01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53'));

  test('when the key has ended, or is of another scope', async () => {
    const [ended, other] = [await newKey(), await newKey('read')];
    await bodyOf(operator.POST('/operator/v1/operator-keys/{id}/revocation', at(ended.operator_key.id)));
    phone.waiting = [waits()];
    for (const { secret } of [ended, other]) expect(await send(service.url, secret)).toEqual({ why: 'key' });
    expect(phone.waiting).toHaveLength(1);
  });

  test('when the service asks the queue to wait', async () => {
    const { secret } = await newKey('courier', strict);
    // The budget is two requests in an hour: four are sent if another hour begins meanwhile.
    phone.waiting = Array.from({ length: 5 }, waits);
    expect(await send(strict.url, secret)).toEqual({ why: 'wait', seconds: expect.any(Number) });
    expect(phone.waiting.length).toBeGreaterThan(0);
    expect(phone.waiting.length + phone.refused.length).toBe(5);
  });

  test('when another server answers in place of the service', async () => {
    const page = createServer((_, answer) => answer.end('<p>Welcome. Please pay.</p>'));
    const url = `http://127.0.0.1:${await listening(page)}`;
    phone.waiting = [waits()];
    expect(await send(url)).toEqual({ why: 'wait', seconds: 30 });
    expect(phone.waiting).toHaveLength(1);
    page.close();
  });
});
