import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createLog } from '../../src/base/telemetry/log.js';
import { secretFields } from '../../src/rest/secret-fields.js';
import { anOrder, loginCall, sendAs } from '../graphql/client.js';
import { at } from '../operator/fixtures.js';
import { movementTo, orderBody, packageBody } from '../support/bodies.js';
import { ask, must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { blobOf, jpeg } from '../support/pictures.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';

/** Proofs and PINs, as the account that sent the package sees them. */

const logged: string[] = [];
const destination = new PassThrough().on('data', (line) => logged.push(String(line)));
const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
const service = await ownService({}, { worker: false, log: createLog({ level: 'trace', destination, redact }) });
const ana = await service.customer();

const order = () => ({ ...orderBody(), packages: [{ ...packageBody, delivery_pin: true }, packageBody] });

async function placed() {
  const made = must(await ana.rest.POST('/api/v1/orders', { body: order() }));
  const [withPin, other] = made.packages;
  if (!withPin?.delivery_pin || !other) throw new Error('the order lacks a package');
  return { ...made, key: withPin.loggi_key, pin: withPin.delivery_pin, other };
}

const pinsOf = async (caller: Caller, id: string) =>
  must(await caller.rest.GET('/api/v1/orders/{id}', at(id))).packages.map((each) => each.delivery_pin);

async function deliver(loggi_key: string, more: object = {}): Promise<void> {
  const body = { movements: [{ ...movementTo(loggi_key, 5), id: loggi_key, ...more }] };
  const { results } = must(await service.operator.operator.POST('/operator/v1/movements', { body }));
  expect(results).toEqual([{ id: loggi_key, result: 'recorded' }]);
}

/** A photo that says where it was taken. */
const photoWithPlace = (): Promise<Buffer> =>
  sharp(jpeg())
    .withExif({ IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '23/1 33/1 56/1' } })
    .toBuffer();

const read = (caller: Caller, key: string, rest = '') =>
  ask(service.url, 'GET', `/api/v1/packages/${key}/proof${rest}`, { token: caller.token });

test('a package has a PIN when its sender wants one; no operator sees it, and nobody sees it after the delivery', async () => {
  const { id, key, pin, other } = await placed();
  expect([pin, other.delivery_pin]).toEqual([expect.stringMatching(/^\d{6}$/), undefined]);
  expect(await pinsOf(ana, id)).toEqual([pin, undefined]);
  expect(await pinsOf(service.operator, id)).toEqual([undefined, undefined]);
  const seen = await ask(service.url, 'GET', `/operator/v1/packages/${key}`, { token: service.operator.token });
  expect([seen.status, seen.text.includes(pin)]).toEqual([200, false]);
  const body = { ...order(), packages: [{ ...packageBody, delivery_pin: false }] };
  const none = must(await ana.rest.POST('/api/v1/orders', { body }));
  expect(none.packages[0]?.delivery_pin).toBeUndefined();
  await deliver(key, { pin });
  expect(await pinsOf(ana, id)).toEqual([undefined, undefined]);
  const bodies = await service.db.selectFrom('webhook_deliveries').select('body').execute();
  const texts = [...bodies.map(({ body }) => String(body)), ...logged];
  expect(texts.filter((text) => text.includes(`"${pin}"`))).toEqual([]);
});

test('a repeated order with the same Idempotency-Key gets the same answer, with the same PINs', async () => {
  const params = { header: { 'Idempotency-Key': 'with-pins' } };
  const body = order();
  const send = () => ana.rest.POST('/api/v1/orders', { params, body });
  const [first, again] = [await send(), await send()];
  expect(must(again)).toEqual(must(first));
  expect(must(first).packages[0]?.delivery_pin).toEqual(await pinsOf(ana, must(first).id).then(([pin]) => pin));
});

test('an order by GraphQL can ask for a PIN, and shows it', async () => {
  const login = await sendAs(service.url, {})(loginCall(ana.email, PASSWORD));
  const send = sendAs(service.url, { Authorization: `ApiKey ${ana.email}:${login.data?.login?.user?.apiKey}` });
  const { data: methods } = await send('{ paymentMethods { id } }');
  const order = anOrder(methods?.paymentMethods?.[0]?.id ?? 0);
  const input = { ...order, packages: order.packages.map((each) => ({ ...each, deliveryPin: true })) };
  const create = `mutation ($input: CreateOrderInput!) {
    createOrder(input: $input) { orders { pk packages { loggiKey deliveryPin } } } }`;
  const [made] = (await send(create, { variables: { input } })).data?.createOrder?.orders ?? [];
  const { loggiKey = '', deliveryPin } = made?.packages[0] ?? {};
  expect(deliveryPin).toMatch(/^\d{6}$/);
  const shown = async () => {
    const query = `query ($key: String!, $pk: ID!) {
      package(loggiKey: $key) { deliveryPin } order(pk: $pk) { packages { deliveryPin } }
      orders(first: 1) { edges { node { packages { deliveryPin } } } } }`;
    const { data } = await send(query, { variables: { key: loggiKey, pk: made?.pk } });
    const [edge] = data?.orders?.edges ?? [];
    return [data?.package, data?.order?.packages[0], edge?.node.packages[0]].map((each) => each?.deliveryPin);
  };
  expect(await shown()).toEqual([deliveryPin, deliveryPin, deliveryPin]);
  await deliver(loggiKey, { pin: deliveryPin });
  expect(await shown()).toEqual([null, null, null]);
});

test('the proof of a delivery, its photo and signature are shown to the account and to operators', async () => {
  const { key, pin, other } = await placed();
  expect((await read(ana, key)).status).toBe(404);
  const position = { latitude: -23, longitude: -46 };
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821', position };
  await deliver(key, { pin, proof });
  const photo = { token: service.operator.token, body: blobOf(await photoWithPlace()) };
  await ask(service.url, 'PUT', `/operator/v1/packages/${key}/proof/photo`, photo);
  for (const caller of [ana, service.operator]) {
    const { text, headers } = await read(caller, key);
    const path = `/api/v1/packages/${key}/proof/photo`;
    const photo = { path, media_type: 'image/jpeg', size: expect.any(Number) };
    const whole = { loggi_key: key, delivered_at: expect.any(String), ...proof, pin: 'confirmed', photo };
    expect([JSON.parse(text), headers.get('cache-control')]).toEqual([whole, 'no-store']);
    const answer = await fetch(service.url + path, { headers: { Authorization: `Bearer ${caller.token}` } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(JSON.parse(text).photo.size).toBe(bytes.length);
    const exifOf = async (picture: Buffer) => (await sharp(picture).metadata()).exif;
    expect([await exifOf(await photoWithPlace()), await exifOf(bytes)]).toEqual([expect.any(Buffer), undefined]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': `attachment; filename="${key}-photo.jpg"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  }
  expect((await read(ana, key, '/signature')).status).toBe(404);
  expect((await read(ana, other.loggi_key)).status).toBe(404);
});
