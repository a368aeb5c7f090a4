import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { anOrder, CREATE_ORDER, loginCall, startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const CANARY = 'SecretWord';
const megabyte = CANARY.repeat(90_000);
const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
const keys = (count: number, value: unknown, name = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name + at, value]));
const list = <T>(length: number, value: T): T[] => Array.from({ length }, () => value);
const numbered = (length: number, write: (at: number) => string) =>
  Array.from({ length }, (_, at) => write(at)).join(' ');
const longName = 'n'.repeat(250);

interface Refused {
  message: string;
  extensions: { code: string; errors?: { field: string; message: string }[] };
}

/** The errors of a refused body. The body is sent compressed, because a small body can hold a large document. */
async function refusal(body: object): Promise<{ text: string; errors: Refused[] }> {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `ApiKey ${client.caller.email}:${client.apiKey}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
    },
    body: new Uint8Array(await promisify(gzip)(JSON.stringify(body))),
  });
  const text = await response.text();
  const { data, errors } = JSON.parse(text);
  // A body beyond its bounds is 400 before the document is read.
  expect([200, 400]).toContain(response.status);
  expect(data).toBeUndefined();
  return { text, errors };
}

const andMore = { field: 'input', code: 'more_errors', message: 'has more wrong fields than the 100 that are listed' };
const loginWith = (input: unknown) => ({ query: LOGIN, variables: { input } });
const inline = (input: string) => ({ query: `mutation { login(input: ${input}) { user { apiKey } } }` });
const variable = (type: string, value: unknown) => ({
  query: `query ($v: ${type}) { a: __typename @include(if: $v) }`,
  variables: { v: value },
});

describe('a refusal repeats no value, and is small', () => {
  test.each<[string, object]>([
    ['60 unknown keys beside a text of 1 MB', loginWith({ ...keys(60, 1), email: megabyte, password: 1 })],
    ['75 000 unknown keys', loginWith(keys(75_000, 1))],
    ['unknown keys with long names', loginWith(keys(100, 1, '\u0001'.repeat(1000)))],
    ['a text of 1 MB where an object belongs', loginWith(megabyte)],
    ['a list of 1 MB where a text belongs', loginWith({ email: list(1000, CANARY), password: { a: CANARY } })],
    ['an object of 1 MB where a text belongs', loginWith({ email: keys(1000, CANARY), password: [[CANARY]] })],
    [
      '90 000 numbers where objects belong',
      { query: 'query ($v: [LoginInput!]) { __typename }', variables: { v: list(90_000, 0) } },
    ],
    ['a password without quotes', inline(`{ email: "a", password: ${CANARY} }`)],
    ['a password in brackets', inline(`{ email: "a", password: ["${CANARY}"] }`)],
    ['a password in an object', inline(`{ email: "a", password: { a: "${CANARY}" } }`)],
    ['a password as input', inline(`"${CANARY}"`)],
    ['a password that is left over', inline(`{ email: "a" "${CANARY}", password: "b" }`)],
    ['a password in a block string that is left over', inline(`{ email: "a" """${CANARY}""", password: "b" }`)],
    ['a text of 1 MB that is left over', inline(`{ email: "a" "${megabyte}", password: "b" }`)],
    ['a text of 1 MB of the wrong type', { query: `{ orders(first: "${megabyte}") { edges { cursor } } }` }],
    [
      'a default of the wrong type',
      { query: `query ($v: Int = "${CANARY}") { orders(first: $v) { edges { cursor } } }` },
    ],
    ['1 900 fields of an input, each wrong', inline(`{ ${numbered(1900, (at) => `a${at}: "${CANARY}"`)} }`)],
    ['an argument of a directive', variable('Boolean!', megabyte)],
    ['variables that are missing', { query: `query (${numbered(200, (at) => `$v${at}: Int!`)}) { __typename }` }],
    ['names of 255 letters', { query: `{ ${numbered(250, (at) => longName + at)} }` }],
    ['arguments of 255 letters', { query: `{ __typename(${numbered(500, (at) => `${longName + at}: 1`)}) }` }],
    [
      'fields that cannot be merged',
      { query: `{ ${numbered(140, (at) => `order(pk: "${CANARY}${at}") { ${'n'.repeat(200)}: pk }`)} }` },
    ],
    [
      'a literal with a variable that is null',
      { query: `query ($v: String! = "${CANARY}") { a: __type(name: $v) { name } }`, variables: { v: null } },
    ],
  ])('%s', async (_, body) => {
    const { text, errors } = await refusal(body);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).not.toContain(CANARY);
    expect(errors.length).toBeGreaterThan(0);
    expect(new Set(errors.map(({ extensions }) => extensions.code)).size).toBe(1);
  });

  test('when graphql-js cannot build an argument from its variables', async () => {
    const query = `query ($n: Int! = 1) {
      estimateOrder(input: { paymentMethod: $n, externalId: "${CANARY}", pickups: [], packages: [] }) { success }
    }`;
    const input = 'query ($n: Int = 1) { orders(first: $n, after: "SecretWord") { edges { cursor } } }';
    for (const [text, variables] of [
      [query, { n: null }],
      [query.replace('Int! = 1', 'Int = 1'), { n: null }],
      [input, { n: null }],
    ] as const) {
      const { errors } = await client.send(text, { variables });
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_ERROR']);
      expect(JSON.stringify(errors)).not.toContain(CANARY);
    }
  });

  test('when addresses are not understood', async () => {
    const [parcel] = anOrder(client.paymentMethod).packages;
    if (!parcel) throw new Error('the order has no package');
    const texts = ['\u0001'.repeat(250), '\u{1f4a9}'.repeat(250), `${'ãé'.repeat(120)} - SP`, '"\\'.repeat(125)];
    for (const address of texts) {
      const packages = list(100, { ...parcel, address: { address } });
      const query = 'query ($input: CreateOrderInput!) { estimateOrder(input: $input) { errors { field message } } }';
      const { data } = await client.send(query, { variables: { input: anOrder(client.paymentMethod, { packages }) } });
      expect(data?.estimateOrder?.errors.length).toBeGreaterThanOrEqual(100);
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(65_536);
    }
  });

  test('when it is a result with errors: it names at most a hundred wrong fields', async () => {
    const address = { address: '', complement: 'x'.repeat(256) };
    const wrong = { recipient: { name: '', phone: '' }, address, pickupIndex: -1 };
    const dimensions = { width: 0, height: 0, length: 0, weight: 0 };
    const input = anOrder(client.paymentMethod, { packages: list(100, { ...wrong, dimensions }) });
    const fields = numbered(15, (at) => `e${at}: estimateOrder(input: $input) { errors { field code message } }`);
    const query = `query ($input: CreateOrderInput!) { ${fields} }`;
    const { data } = await client.send(query, { variables: { input } });
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(65_536);
    const [first] = Object.values(data ?? {}) as { errors: unknown[] }[];
    expect([first?.errors.length, first?.errors.at(-1)]).toEqual([101, andMore]);
  });
});

describe('a value of the wrong type', () => {
  const parcels = `[{ pickupIndex: "0", recipient: { name: 1, phone: "+55 11 98888-7777" }, address: { address: null } }]`;
  const literal = `{ paymentMethod: 1.5, pickups: [], packages: ${parcels}, colour: 1 }`;
  const fieldErrors = [
    { field: 'paymentMethod', code: 'type', message: 'must be a whole number of 32 bits' },
    { field: 'packages.0.pickupIndex', code: 'type', message: 'must be a whole number of 32 bits' },
    { field: 'packages.0.recipient.name', code: 'type', message: 'must be a string' },
    { field: 'packages.0.address.address', code: 'required', message: 'must not be null' },
    { field: 'packages.0.dimensions', code: 'required', message: 'is required' },
    { field: 'colour', code: 'unknown_field', message: 'is not a field of this object' },
  ];

  test('is one request error that names every field by its path, in a document as in variables', async () => {
    const input = JSON.parse(literal.replace(/(\w+):/g, '"$1":'));
    const accept = { headers: { Accept: 'application/graphql-response+json' } };
    const answers = [
      await client.send(`mutation { createOrder(input: ${literal}) { success } }`, accept),
      await client.send(CREATE_ORDER, { variables: { input }, ...accept }),
    ];
    const message =
      'paymentMethod must be a whole number of 32 bits. Other fields are wrong too: extensions.errors names them.';
    const error = { message, extensions: { code: 'VALIDATION_ERROR', reason: 'invalid_fields', errors: fieldErrors } };
    for (const { status, data, errors } of answers)
      expect({ status, data, errors }).toEqual({ status: 400, data: undefined, errors: [error] });
  });

  test('is named up to a hundred times; a last entry says that there are more', async () => {
    const input = { ...anOrder(1), packages: list(100, {}) };
    const { errors } = await client.send(CREATE_ORDER, { variables: { input } });
    const named = (errors as Refused[] | undefined)?.[0]?.extensions.errors;
    expect([named?.length, named?.at(-1)]).toEqual([101, andMore]);
  });

  test('is refused only after the credentials are accepted', async () => {
    const { errors } = await service.nobody.send(CREATE_ORDER, { variables: { input: 1 } });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
  });
});

test('a refusal never suggests another name, which would repeat the schema and cost more than the refusal', async () => {
  const { errors } = await service.nobody.send('{ mee { pk } }');
  expect(errors).toMatchObject([{ message: 'Cannot query field "mee" on type "Query".' }]);
  const misspelt = await service.nobody.send(loginCall('a', 'b').replace('email', 'emial'));
  const named = [
    { field: 'email', code: 'required', message: 'is required' },
    { field: 'emial', code: 'unknown_field', message: 'is not a field of this object' },
  ];
  expect(misspelt.errors).toMatchObject([{ extensions: { errors: named } }]);
});
