import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { readings } from '../../src/validation/readings.js';
import { age } from '../domain/orders-fixtures.js';
import { anOrder, present, startGraphql } from '../graphql/client.js';
import { at, atPackage, movement, placeOrder, refusalOf, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { ask, must } from '../support/http.js';

/** People and machines write the same thing in several ways. Each is read, or refused by its field. */

const service = await startGraphql();
const client = await service.client();
const { caller: ana } = client;
const { operator } = service.operator;

type RecipientInput = components['schemas']['RecipientInput'];

const orderFor = (recipient: RecipientInput) =>
  ana.rest.POST('/api/v1/orders', { body: { ...orderBody(), packages: [{ ...packageBody, recipient }] } });

const CREATE = `mutation ($input: CreateOrderInput!) {
  createOrder(input: $input) { orders { packages { recipient { phone } } } errors { field code } }
}`;

/** Creates an order by GraphQL with this phone. Answers the stored phone, or the errors. */
async function phoneByGraphql(phone: string) {
  const input = anOrder(client.paymentMethod);
  const packages = input.packages.map((each) => ({ ...each, recipient: { ...each.recipient, phone } }));
  const { data } = await client.send(CREATE, { variables: { input: { ...input, packages } } });
  const { orders, errors } = present(data?.createOrder);
  return errors.length > 0 ? errors : orders[0]?.packages[0]?.recipient.phone;
}

describe('a telephone number', () => {
  test.each([
    ['+55 11 91234-5678', '+55 11 91234-5678'],
    ['+55\u00a011\u00a091234\u20115678', '+55 11 91234-5678'],
    ['\u202a+55 11 91234-5678\u202c', '+55 11 91234-5678'],
    ['11\u200991234\u22125678', '11 91234-5678'],
    ['（11）９１２３４－５６７８', '(11)91234-5678'],
    [' 11912345678 ', '11912345678'],
  ])('is sent as %j and stored as %j, by A and B', async (phone, stored) => {
    expect(must(await orderFor({ name: 'Bruno', phone })).packages[0]?.recipient.phone).toBe(stored);
    expect(await phoneByGraphql(phone)).toBe(stored);
  });

  test.each([
    '(  )      -    ',
    '--------',
    ' '.repeat(8),
    '1234567',
    '1'.repeat(16),
    '+55 11 91234-567x',
    '++5511912345678',
    '11 91234-567²',
  ])('is refused by its field, by A and B: %j', async (phone) => {
    const field = 'packages.0.recipient.phone';
    expect(await refusalOf(orderFor({ name: 'Bruno', phone }))).toEqual([400, 'VALIDATION_ERROR', field]);
    expect(await phoneByGraphql(phone)).toEqual([expect.objectContaining({ field })]);
  });
});

describe('a code of a label', () => {
  /** The ways in which people and scanners write a code. */
  const waysOf = (code: string) => [
    code.toLowerCase(),
    code.replace(/(.{4})(?=.)/g, '$1 '),
    code.replace(/(.{6})(?=.)/g, '$1-'),
    ` ${code.replace(/(.{3})(?=.)/g, '$1\u00a0')} `,
  ];

  async function parcel() {
    const { id, packages } = await placeOrder(ana);
    return { id, ...present(packages[0]) };
  }

  test('finds its package in every way of writing, by A, B and D', async () => {
    const { id, loggi_key: key, tracking_code: code, barcode } = await parcel();
    const similar = code.replaceAll('0', 'O').replaceAll('1', 'l');
    for (const tracking_code of [...waysOf(code), similar]) {
      const query = { params: { query: { tracking_code } } };
      expect(must(await ana.rest.GET('/api/v1/packages', query)).data).toMatchObject([{ loggi_key: key }]);
      expect(must(await ana.rest.GET('/api/v1/orders', query)).data).toMatchObject([{ id }]);
      expect(must(await operator.GET('/operator/v1/packages', query)).data).toMatchObject([{ loggi_key: key }]);
      const q = { params: { query: { q: tracking_code } } };
      expect(must(await operator.GET('/operator/v1/packages', q)).data).toMatchObject([{ loggi_key: key }]);
      const asked = `query ($code: String!) { packageByTrackingCode(trackingCode: $code) { loggiKey } }`;
      const { data } = await client.send(asked, { variables: { code: tracking_code } });
      expect(data?.packageByTrackingCode?.loggiKey).toBe(key);
    }
    for (const each of waysOf(barcode))
      expect(must(await ana.rest.GET('/api/v1/packages', { params: { query: { barcode: each } } })).data).toHaveLength(
        1,
      );
  });

  test('names the package of a movement in every way of writing', async () => {
    const { tracking_code: code, barcode, loggi_key: key } = await parcel();
    const names = [
      ...waysOf(code).map((tracking_code) => ({ tracking_code })),
      ...waysOf(barcode).map((each) => ({ barcode: each })),
      ...[key.toUpperCase(), key.replaceAll('-', '')].map((loggi_key) => ({ loggi_key })),
    ];
    const { loggi_key: _, ...scan } = movement(key);
    // One movement under all of its names is recorded once.
    const results = await resultsOf(service.operator, ...names.map((name) => ({ ...scan, ...name })));
    expect(results).toEqual(['recorded', ...Array(names.length - 1).fill('duplicate')]);
  });

  test('may be a key in a path, in capitals or without hyphens', async () => {
    const { loggi_key: key } = await parcel();
    for (const written of [key.toUpperCase(), key.replaceAll('-', '')]) {
      expect(must(await ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(written))).loggi_key).toBe(key);
      const { data } = await client.send(`{ package(loggiKey: "${written}") { loggiKey } }`);
      expect(data?.package?.loggiKey).toBe(key);
    }
    expect(await refusalOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage('no key')))).toEqual([
      400,
      'VALIDATION_ERROR',
      'loggi_key',
    ]);
  });

  test('is refused by its field when it is no code', async () => {
    const { loggi_key: _, ...scan } = movement('');
    for (const [name, text] of [
      ['tracking_code', '7ZK3M9P2QP1'],
      ['barcode', '37891234567890123'],
      ['loggi_key', '01930f61-4c1d'],
    ] as const) {
      const call = operator.POST('/operator/v1/movements', { body: { movements: [{ ...scan, [name]: text }] } });
      expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', `movements.0.${name}`]);
    }
  });
});

describe('a time', () => {
  test.each(['.1234567Z', '.123456789Z', '.123456789012-03:00', 'Z'])('of a movement may end in %s', async (end) => {
    const { id, packages } = await placeOrder(ana);
    await age(service.db, id, 3_600);
    // A minute ago, because a future time would count as the time of receipt.
    const past = 60_000 + (end.endsWith('00') ? 3 * 3_600_000 : 0);
    const second = new Date(Date.now() - past).toISOString().slice(0, 19);
    const scan = movement(present(packages[0]).loggi_key, { happened_at: `${second}${end}` });
    expect(await resultsOf(service.operator, scan)).toEqual(['recorded']);
    const { data } = must(
      await operator.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(present(packages[0]).loggi_key)),
    );
    const decimals = /\.(\d{1,6})/.exec(end)?.[1] ?? '';
    expect(data.find(({ id }) => id === scan.id)).toMatchObject({
      happened_at: expect.stringMatching(`\\.${decimals.padEnd(6, '0')}Z$`),
    });
  });

  test('in a query may have an unencoded plus sign', async () => {
    const answer = await fetch(`${service.url}/api/v1/orders?created_from=2020-01-01T00:00:00+00:00`, {
      headers: { Authorization: `Bearer ${ana.token}` },
    });
    expect(answer.status).toBe(200);
  });
});

describe('an empty text in an optional field', () => {
  test('counts as left out, by A and B', async () => {
    const empty = { service: '', expected_total: '', external_id: '' };
    const recipient = { ...packageBody.recipient, tax_id: '' };
    const packages = [{ ...packageBody, recipient, declared_value: '', instructions: '' }];
    const body = Object.assign(orderBody(), empty, { packages });
    const { text } = await ask(service.url, 'POST', '/api/v1/orders', { token: ana.token, body });
    const order = JSON.parse(text);
    expect(order).toMatchObject({ service: 'express', external_id: null });
    expect(order.packages[0]).not.toHaveProperty('declared_value');
    expect(order.packages[0]?.recipient).not.toHaveProperty('tax_id');
    const input = anOrder(client.paymentMethod);
    const sent = input.packages.map((each) => ({
      ...each,
      declaredValue: '',
      recipient: { ...each.recipient, taxId: '' },
    }));
    const variables = { input: { ...input, expectedTotal: '', packages: sent } };
    expect((await client.send(CREATE, { variables })).data?.createOrder?.errors).toEqual([]);
  });

  test('is refused in a required field, and null is refused everywhere', async () => {
    const { pickups, packages } = orderBody();
    const nameless = [{ ...packageBody, recipient: { name: '', phone: '' } }];
    const refused = ana.rest.POST('/api/v1/orders', { body: { pickups, packages: nameless } });
    expect(await refusalOf(refused)).toEqual([
      400,
      'VALIDATION_ERROR',
      'packages.0.recipient.name',
      'packages.0.recipient.phone',
    ]);
    const body = Object.assign({ pickups, packages }, { service: null });
    const { text } = await ask(service.url, 'POST', '/api/v1/orders', { token: ana.token, body });
    expect(JSON.parse(text).error.details).toMatchObject([{ field: 'service', code: 'type' }]);
  });

  test('is refused in filters of A and B, where it would list everything', async () => {
    const { errors } = await client.send('{ orders(filter: { trackingCode: "" }) { edges { cursor } } }');
    expect(JSON.stringify(errors)).toContain('trackingCode');
    const query = { params: { query: { tracking_code: '' } } };
    expect(await refusalOf(ana.rest.GET('/api/v1/orders', query))).toEqual([400, 'VALIDATION_ERROR', 'tracking_code']);
  });
});

describe('headers of programs and proxies', () => {
  const send = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(service.url + path, { ...init, headers: { Authorization: `Bearer ${ana.token}`, ...headers } });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8, text/plain;q=0.5',
    'application/json; q=0.9; version=1',
  ])('Accept: %s is answered', async (accept) => {
    expect((await send('/api/v1/orders', { Accept: accept })).status).toBe(200);
    expect((await send('/health', { Accept: accept })).status).toBe(200);
    const login = { email: ana.email, password: 'wrong' };
    const headers = { Accept: accept, 'Content-Type': 'application/json' };
    const wrong = await send('/auth/login', headers, { method: 'POST', body: JSON.stringify(login) });
    expect(wrong.status).toBe(401);
    const graphql = await client.send('{ me { pk } }', { headers: { Accept: accept } });
    expect(graphql.status).toBe(200);
  });

  test.each(['text/html;q=0.9', 'application/json;q=0', 'text/plain; charset=utf-8'])(
    'Accept: %s is refused',
    async (accept) => {
      expect((await send('/api/v1/orders', { Accept: accept })).status).toBe(406);
    },
  );

  test.each(['W/"n"', '"n-gzip"', 'W/"n-gzip"', '"n;br"', '"n"'])(
    'an ETag in the form %s matches the record',
    async (form) => {
      const { response, data } = await ana.rest.GET('/api/v1/users/me');
      const tag = form.replace('n', String(response.headers.get('etag')).replaceAll('"', ''));
      expect((await send('/api/v1/users/me', { 'If-None-Match': tag })).status).toBe(304);
      const { email = '', name = '', phone = '' } = data ?? {};
      const headers = { 'If-Match': tag };
      const changed = await ana.rest.PUT('/api/v1/users/{id}', {
        ...at(ana.id),
        headers,
        body: { email, name, phone },
      });
      expect(changed.response.status).toBe(200);
    },
  );
});

test('every reading takes any text, and leaves a text that is too long for any field unchanged', () => {
  const long = '\u00a0'.repeat(300);
  for (const read of Object.values(readings)) expect(typeof read('\ud800\0')).toBe('string');
  expect(readings.plain(long)).toBe(long);
});
