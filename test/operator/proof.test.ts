import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/operator.js';
import { cleanPicture } from '../../src/files/picture-file.js';
import { ask } from '../support/http.js';
import { blobOf, jpeg, png, webp } from '../support/pictures.js';
import { sharedService } from '../support/services.js';
import {
  at,
  atPackage,
  bodyOf,
  type MovementInput,
  movement,
  newPackage,
  record,
  refusalOf,
  resultsOf,
  soon,
  withPin,
} from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const proof: components['schemas']['DeliveryProofInput'] = {
  recipient_name: 'Marta Lima',
  recipient_document: '482X',
  position: { latitude: -23.56565, longitude: -46.68304, accuracy: 8 },
};
const delivery = (loggiKey: string, more: Partial<MovementInput> = {}) =>
  movement(loggiKey, { status_code: 5, happened_at: soon(1000), ...more });
const proofOf = (key: string) => api.GET('/operator/v1/packages/{loggi_key}/proof', atPackage(key));

async function deliveredPackage(): Promise<string> {
  const key = await newPackage(customer);
  expect(await resultsOf(operator, delivery(key))).toEqual(['recorded']);
  return key;
}

const CONFLICT = 'refused CONFLICT id';
const WRONG_PIN = 'refused VALIDATION_ERROR pin';

describe('a proof', () => {
  test('comes with the movement to status 5, and is shown', async () => {
    const key = await newPackage(customer);
    const delivered = delivery(key.toUpperCase(), { proof });
    expect(await resultsOf(operator, delivered)).toEqual(['recorded']);
    expect(await bodyOf(proofOf(key))).toEqual({ loggi_key: key, delivered_at: expect.any(String), ...proof });
  });

  test('is part of its movement: the same proof again is a duplicate, and a different proof is a conflict', async () => {
    const delivered = delivery(await newPackage(customer), { proof });
    const { proof: _, ...bare } = delivered;
    const other = { ...delivered, proof: { ...proof, recipient_document: '4821' } };
    const turned = { ...delivered, proof: Object.fromEntries(Object.entries(proof).reverse()) };
    const results = await resultsOf(operator, delivered, delivered, bare, other);
    expect(results).toEqual(['recorded', 'duplicate', CONFLICT, CONFLICT]);
    const again = await resultsOf(operator, turned, bare, delivered, other);
    expect(again).toEqual(['duplicate', CONFLICT, 'duplicate', CONFLICT]);
    const ofAnother = { ...delivery(await newPackage(customer)), id: delivered.id };
    expect(await resultsOf(operator, ofAnother)).toEqual([CONFLICT]);
  });

  test('is allowed only with status 5, and so is a PIN', async () => {
    const key = await newPackage(customer);
    const results = await resultsOf(operator, movement(key, { proof }), movement(key, { pin: '1234' }));
    expect(results).toEqual(['refused VALIDATION_ERROR proof', WRONG_PIN]);
    const empty = record(operator, delivery(key, { proof: {} }));
    expect(await refusalOf(empty)).toEqual([400, 'VALIDATION_ERROR', 'movements.0.proof']);
  });

  test('is 404 until the package is delivered, and after a delivery without proof', async () => {
    const key = await newPackage(customer);
    expect(await refusalOf(proofOf(key))).toEqual([404, 'NOT_FOUND']);
    await resultsOf(operator, delivery(key));
    expect(await refusalOf(proofOf(key))).toEqual([404, 'NOT_FOUND']);
  });
});

type Kind = 'photo' | 'signature';
const stored = async (picture: Buffer) => (await cleanPicture(picture, new AbortController().signal)).bytes;
const send = (key: string, kind: Kind, body: unknown, token = operator.token, headers = {}) =>
  ask(service.url, 'PUT', `/operator/v1/packages/${key}/proof/${kind}`, { token, body, headers });
const codeOf = ({ status, text }: Awaited<ReturnType<typeof send>>) => [status, text && JSON.parse(text).error.code];

describe('photo and signature', () => {
  test('are stored once the package is delivered, and shown', async () => {
    const key = await newPackage(customer);
    expect(codeOf(await send(key, 'photo', blobOf(jpeg())))).toEqual([409, 'CONFLICT']);
    await resultsOf(operator, delivery(key, { proof: { recipient_name: 'Marta Lima' } }));
    const large = png(8192, 1, 1_048_576);
    expect(codeOf(await send(key, 'photo', blobOf(large)))).toEqual([204, '']);
    expect(codeOf(await send(key, 'signature', blobOf(webp())))).toEqual([204, '']);
    const [photo, signature] = [await stored(large), await stored(webp())];
    const path = `/operator/v1/packages/${key}/proof`;
    expect(await bodyOf(proofOf(key))).toMatchObject({
      recipient_name: 'Marta Lima',
      photo: { path: `${path}/photo`, media_type: 'image/png', size: photo.length },
      signature: { path: `${path}/signature`, media_type: 'image/webp', size: signature.length },
    });
    const headers = { Authorization: `Bearer ${operator.token}` };
    const answer = await fetch(`${service.url}${path}/photo`, { headers });
    expect(Buffer.from(await answer.arrayBuffer()).equals(photo)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${key}-photo.png"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['image/jpeg', jpeg()],
    ['image/png', png()],
    ['image/webp', webp()],
  ])('may be sent as %s; their type is read from the bytes', async (type, bytes) => {
    const key = await deliveredPackage();
    expect(codeOf(await send(key, 'photo', blobOf(bytes, type)))).toEqual([204, '']);
    expect(codeOf(await send(key, 'signature', blobOf(bytes, 'image/png')))).toEqual([204, '']);
    // A picture that is sent again is compared by its bytes only.
    expect(codeOf(await send(key, 'photo', blobOf(bytes)))).toEqual([204, '']);
    const kinds = { photo: { media_type: type }, signature: { media_type: type } };
    expect(await bodyOf(proofOf(key))).toMatchObject(kinds);
  });

  test('cannot be replaced: the same picture again changes nothing, and a different one is refused', async () => {
    const key = await deliveredPackage();
    const answers = [];
    for (const picture of [jpeg(), jpeg(), jpeg(1, 1), png()])
      answers.push(codeOf(await send(key, 'photo', blobOf(picture))));
    const refused = [409, 'CONFLICT'];
    expect(answers).toEqual([[204, ''], [204, ''], refused, refused]);
    const both = await Promise.all([jpeg(), jpeg(2, 2)].map((each) => send(key, 'signature', blobOf(each))));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test.each<[what: string, status: number, body: unknown, headers?: object]>([
    ['bytes that are no picture', 400, blobOf(Buffer.from('GIF89a, or so'))],
    ['the half of a picture', 400, blobOf(jpeg().subarray(0, 300))],
    ['a picture of too many pixels', 400, blobOf(jpeg(8193, 10))],
    ['nothing', 400, undefined],
    ['too many bytes', 413, blobOf(png(1, 1, 1_048_577))],
    ['another type', 415, blobOf(jpeg(), 'image/gif')],
    ['JSON', 415, {}],
  ])('%s is refused with %i', async (_, status, body) => {
    expect((await send(await deliveredPackage(), 'photo', body)).status).toBe(status);
  });

  test('are accepted when the Content-Type has parameters, and without a Content-Type', async () => {
    const key = await deliveredPackage();
    const headers = { 'Content-Type': 'Application/Octet-Stream; charset=binary' };
    expect((await send(key, 'photo', blobOf(jpeg()), undefined, headers)).status).toBe(204);
    expect((await send(key, 'photo', blobOf(jpeg(), ''))).status).toBe(204);
  });
});

const pinState = (key: string) => bodyOf(api.GET('/operator/v1/packages/{loggi_key}/pin', atPackage(key)));
const override = (key: string, reason: string) =>
  api.POST('/operator/v1/packages/{loggi_key}/pin/override', { ...atPackage(key), body: { reason } });

describe('a PIN', () => {
  test('is needed for the delivery, and for no other movement', async () => {
    const { key, pin, wrong } = await withPin(customer);
    expect(await pinState(key)).toEqual({ loggi_key: key, state: 'waiting', wrong_tries: 0 });
    const results = await resultsOf(operator, movement(key), delivery(key), delivery(key, { pin: wrong }));
    expect(results).toEqual(['recorded', WRONG_PIN, WRONG_PIN]);
    expect(await pinState(key)).toMatchObject({ state: 'waiting', wrong_tries: 1 });
    const right = delivery(key, { pin, proof });
    expect(await resultsOf(operator, right, right)).toEqual(['recorded', 'duplicate']);
    expect(await pinState(key)).toMatchObject({ state: 'confirmed', confirmed_at: expect.any(String) });
    expect(await bodyOf(proofOf(key))).toMatchObject({ ...proof, pin: 'confirmed' });
    expect(await refusalOf(override(key, 'too late'))).toEqual([409, 'CONFLICT']);
    // After the delivery no PIN is compared, so no wrong try is counted.
    const late = await resultsOf(operator, { ...right, pin: wrong }, delivery(key, { pin: wrong }));
    expect(late).toEqual(['duplicate', 'refused CONFLICT status_code']);
    expect((await pinState(key)).wrong_tries).toBe(1);
  });

  test('is blocked after five wrong tries, even within one batch, until an operator overrides it with a reason', async () => {
    const { key, pin, wrong } = await withPin(customer);
    const guesses = Array.from({ length: 5 }, () => delivery(key, { pin: wrong }));
    const results = await resultsOf(operator, ...guesses, delivery(key, { pin }));
    expect(results).toEqual([...guesses.map(() => WRONG_PIN), 'refused CONFLICT pin']);
    expect(await resultsOf(operator, delivery(key, { pin }))).toEqual(['refused CONFLICT pin']);
    expect(await pinState(key)).toMatchObject({ state: 'blocked', wrong_tries: 5 });
    const overridden = { loggi_key: key, state: 'overridden', wrong_tries: 5, overridden_at: expect.any(String) };
    expect(await bodyOf(override(key, 'Mostrou um documento.'))).toEqual(overridden);
    await bodyOf(override(key, 'Another reason.'));
    expect(await pinState(key)).toMatchObject({ override_reason: 'Mostrou um documento.' });
    expect(await resultsOf(operator, delivery(key))).toEqual(['recorded']);
    expect(await bodyOf(proofOf(key))).toMatchObject({ pin: 'overridden' });
  });

  test('is valid for its own package only, and a package without a PIN needs none', async () => {
    const [one, other] = [await withPin(customer), await withPin(customer)];
    const free = await newPackage(customer);
    expect(await refusalOf(override(free, 'none'))).toEqual([404, 'NOT_FOUND']);
    const pins = [[one.key, other.pin] as const, [other.key, other.pin] as const, [free, one.pin] as const];
    const result = await resultsOf(operator, ...pins.map(([key, pin]) => delivery(key, { pin })));
    const isSame = one.pin === other.pin;
    expect(result).toEqual([isSame ? 'recorded' : WRONG_PIN, 'recorded', 'recorded']);
  });

  test('prevents completing the whole order by its status, unless it is overridden', async () => {
    const { key, orderId } = await withPin(customer);
    const completed = { ...at(orderId), body: { status: 'completed' } } as const;
    const complete = () => operator.rest.PUT('/api/v1/orders/{id}/status', completed);
    expect(await refusalOf(complete())).toEqual([409, 'CONFLICT']);
    await bodyOf(override(key, 'Entrega na portaria.'));
    expect((await bodyOf(complete())).status).toBe('completed');
  });
});
