import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { components } from '../../generated/rest.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { codesIn, printedPdf, printedZpl } from '../labels/pictures.js';
import { at, atPackage, bodyOf, movement, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { ownService } from '../support/services.js';

/** The account's own names and facts: a package's reference, an order's metadata, a pickup's sender. */

const lines: string[] = [];
const log = createLog({ level: 'info', redact: [], destination: { write: (line: string) => void lines.push(line) } });
const service = await ownService({}, { log, worker: false });
const { operator } = service;
const ana = await service.customer();

type OrderCreate = components['schemas']['OrderCreate'];

const sender = { name: 'Loja Centro', phone: '+55 11 97777-6666' };
const metadata = { channel: 'marketplace', 'carrinho.nº': '48213' };
const REFERENCE = 'Pedido 48213/1';

const { pickups: [pickup] = [] } = orderBody();
const body = (change: Partial<OrderCreate> = {}): OrderCreate => ({ ...orderBody(), ...change });
const named = (): OrderCreate =>
  body({
    metadata,
    pickups: [{ address: pickup?.address ?? { address: '' }, sender }],
    packages: [{ ...packageBody, reference: REFERENCE }, packageBody],
  });
const create = (input: OrderCreate, header: Record<string, string> = {}) =>
  ana.rest.POST('/api/v1/orders', { body: input, params: { header } });
const details = ({ error }: { error?: components['schemas']['ErrorEnvelope'] }) =>
  error?.error.details.map(({ field, code }) => `${field} ${code}`);

describe('an order with references, metadata and a sender', () => {
  test('shows them in the answer, when it is read, and in lists', async () => {
    const order = await bodyOf(create(named()));
    expect([order.metadata, order.pickups[0]?.sender]).toEqual([metadata, sender]);
    expect(order.packages.map((each) => each.reference)).toEqual([REFERENCE, undefined]);
    expect(await bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(order.id)))).toEqual(order);
    const orders = await bodyOf(ana.rest.GET('/api/v1/orders', { params: { query: { page_size: 1 } } }));
    expect(orders.data[0]?.metadata).toEqual(metadata);
    const key = order.packages[0]?.loggi_key ?? '';
    expect(await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)))).toMatchObject({
      reference: REFERENCE,
    });
    const seen = await bodyOf(operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
    expect(seen).toMatchObject({ reference: REFERENCE, sender });
  });

  test('shows them again when it is repeated with its Idempotency-Key', async () => {
    const [input, key] = [named(), { 'Idempotency-Key': 'named-order' }];
    const first = await bodyOf(create(input, key));
    const again = await create(input, key);
    expect([again.response.headers.get('idempotent-replayed'), again.data]).toEqual(['true', first]);
  });

  test('leaves out those that are empty or missing', async () => {
    const empty = { metadata: { channel: '' }, packages: [{ ...packageBody, reference: '' }] };
    for (const input of [body(), body(empty), body({ metadata: {} })]) {
      const order = await bodyOf(create(input));
      expect(order).not.toHaveProperty('metadata');
      expect(order.packages[0]).not.toHaveProperty('reference');
      expect(order.pickups[0]).not.toHaveProperty('sender');
    }
  });

  test('is refused when one of them breaks a bound, and the error names the field', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'x']));
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 'x'.repeat(500)]));
    const exact = Object.fromEntries(
      [...'12345678'].map((key) => [key, 'x'.repeat(500)]).concat([['rest', 'x'.repeat(84)]]),
    );
    expect((await create(body({ metadata: exact }))).response.status).toBe(201);
    expect(details(await create(body({ metadata: { ...exact, rest: 'x'.repeat(85) } })))).toEqual([
      'metadata too_long',
    ]);
    expect(details(await create(body({ metadata: many })))).toEqual(['metadata too_many']);
    expect(details(await create(body({ metadata: large })))).toEqual(['metadata too_long']);
    expect(details(await create(body({ metadata: { channel: 'x'.repeat(501) } })))).toEqual([
      'metadata.channel too_long',
    ]);
    expect(details(await create(body({ metadata: { channel: 'a\0b' } })))).toEqual(['metadata.channel pattern']);
    for (const key of ['', '_id', 'a b', 'a[b]', 'x'.repeat(41), 'a\0'])
      expect(details(await create(body({ metadata: { [key]: 'x' } })))).toEqual(['metadata pattern']);
    const parcel = { ...packageBody, reference: 'x'.repeat(65) };
    const nobody = [{ address: pickup?.address ?? { address: '' }, sender: { name: ' ', phone: '123' } }];
    expect(details(await create(body({ packages: [parcel], pickups: nobody })))).toEqual([
      ...['packages.0.reference too_long', 'pickups.0.sender.phone pattern'],
    ]);
    const blank = [{ address: pickup?.address ?? { address: '' }, sender: { name: ' ' } }];
    expect(details(await create(body({ pickups: blank })))).toEqual(['pickups.0.sender.name required']);
  });

  test('keeps metadata keys that JavaScript gives a special meaning', async () => {
    const order = await bodyOf(create(body({ metadata: { constructor: 'a', toString: 'b', é: 'c' } })));
    expect(await bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(order.id)))).toHaveProperty('metadata', order.metadata);
    expect(Object.entries(order.metadata ?? {}).sort()).toEqual([
      ['constructor', 'a'],
      ['toString', 'b'],
      ['é', 'c'],
    ]);
    const { status } = await ask(service.url, 'POST', '/api/v1/orders', {
      token: ana.token,
      body: JSON.stringify(body()).replace('{', '{"metadata":{"__proto__":"x"},'),
    });
    expect(status).toBe(400);
  });
});

describe('labels', () => {
  const fileOf = async (key = '', format = 'pdf') => {
    const response = await fetch(`${service.url}/api/v1/packages/${key}/label?format=${format}`, {
      headers: { Authorization: `Bearer ${ana.token}` },
    });
    return Buffer.from(await response.arrayBuffer());
  };

  test('show the reference or else the external id, and the sender without a phone', async () => {
    const order = await bodyOf(create({ ...named(), external_id: 'venda-0000000000000000000000001234567' }));
    const [first, second] = order.packages;
    for (const [carried, name] of [
      [first, REFERENCE],
      [second, 'venda-0000000000000000000000001…'],
    ] as const) {
      const [page] = await printedPdf(await fileOf(carried?.loggi_key));
      expect(page?.text).toContain(`Pedido ${name}`);
      expect(page?.text).toContain(sender.name);
      expect(page?.text).not.toContain('Ana Souza');
      expect(page?.text).not.toContain('97777');
      expect(page && (await codesIn(page.picture))).toContain(`ZBAR_CODE128 ${carried?.barcode}`);
      const zpl = await fileOf(carried?.loggi_key, 'zpl');
      expect(zpl.toString()).toContain('Loja Centro');
      expect(zpl.toString()).not.toContain('97777');
      expect(zpl.toString()).toContain(
        carried === first ? 'Pedido Pedido 48213_2F1' : 'venda-0000000000000000000000001...',
      );
      expect(await codesIn(await printedZpl(zpl))).toContain(`ZBAR_CODE128 ${carried?.barcode}`);
    }
  });

  test('show no reference and no sender when the order has none', async () => {
    const order = await bodyOf(create({ pickups: body().pickups, packages: [packageBody] }));
    const [page] = await printedPdf(await fileOf(order.packages[0]?.loggi_key));
    expect(page?.text).not.toContain('Pedido');
    expect(page?.text).toContain('Ana Souza');
  });
});

test('a return goes back to the sender of the pickup, under the reference of the package', async () => {
  const order = await bodyOf(create(named()));
  const key = order.packages[0]?.loggi_key ?? '';
  expect(await resultsOf(operator, movement(key, { status_code: 5 }))).toEqual(['recorded']);
  const back = await bodyOf(ana.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(key), body: {} }));
  expect(back.packages[0]).toMatchObject({ recipient: sender, reference: REFERENCE });
});

test('a process of an earlier release erases references, metadata and senders by the columns that it knows', async () => {
  const { id } = await bodyOf(create(named()));
  await sql`update orders set recipients_erased_at = now() where id = ${id}`.execute(service.db);
  const order = await bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(id)));
  expect(order).not.toHaveProperty('metadata');
  expect(order.pickups[0]).not.toHaveProperty('sender');
  expect(order.packages[0]?.reference).toBe(REFERENCE);
});

test('no log line has references, metadata or senders', async () => {
  const secret = { metadata: { note: 'zq-metadata' }, sender: { name: 'zq-sender', phone: '+55 11 90000-1111' } };
  const input = body({
    metadata: secret.metadata,
    pickups: [{ address: pickup?.address ?? { address: '' }, sender: secret.sender }],
    packages: [{ ...packageBody, reference: 'zq-reference' }],
  });
  await bodyOf(create(input));
  await create(body({ metadata: { 'zq bad': 'zq-refused' } }));
  expect(lines.some((line) => line.includes('createOrder') || line.includes('/api/v1/orders'))).toBe(true);
  expect(lines.filter((line) => /zq|90000/.test(line))).toEqual([]);
});
