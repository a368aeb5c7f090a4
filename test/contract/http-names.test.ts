import { describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { requestBounds } from '../../src/graphql/limits.js';
import { bodyBounds } from '../../src/validation/bounds.js';
import { MAX_OTHER_NAMES, readJson, type TextBounds } from '../../src/validation/read-json.js';
import { ask } from '../support/http.js';
import { sharedService } from '../support/services.js';
import { bundles, fields, type Node, operationsOf, resolve, sdl } from './contract-files.js';

/** New names of fields cost the engine the most time, so a body is counted by its names while it is read. */

const FLOOD = 2_000;
const service = await sharedService();

/** The path to an object in a body: names of fields, and 0 for items of a list. */
type Way = readonly (string | 0)[];

/** The paths to all objects of a schema, in any of its alternatives. */
function waysIn(document: Node, schema: unknown, way: Way = []): Way[] {
  const { properties, items, allOf, oneOf, anyOf } = fields(resolve(document, schema));
  const inner = Object.entries(fields(properties)).flatMap(([name, field]) => waysIn(document, field, [...way, name]));
  const ofItems = items === undefined ? [] : waysIn(document, items, [...way, 0]);
  const forms = [allOf, oneOf, anyOf]
    .flatMap((each) => (Array.isArray(each) ? each : []))
    .flatMap((form) => waysIn(document, form, way));
  const all = [...(properties ? [way] : []), ...inner, ...ofItems, ...forms];
  return [...new Map(all.map((each) => [each.join('.'), each])).values()];
}

const textAt = (way: Way, text: string): string =>
  way.reduceRight<string>((inner, step) => (step === 0 ? `[${inner}]` : `{"${step}":${inner}}`), text);

const namesOf = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, at) => `"n${first + at}":0`).join(',');

/** The different names in a value. */
function distinctNames(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    distinctNames(inner, names);
  }
  return names;
}

const read = (text: string, bounds: TextBounds) => readJson(Buffer.from(text), bounds);

interface Target {
  name: string;
  way: Way;
  bounds: TextBounds;
}

const targets = Object.entries(bundles).flatMap(([contract, document]) =>
  operationsOf(document).flatMap(({ id, node }): Target[] => {
    const { schema } = fields(fields(fields(node['requestBody'])['content'])['application/json']);
    if (schema === undefined) return [];
    const bounds = bodyBounds(document, schema);
    return waysIn(document, schema).map((way) => ({ name: [contract, id, ...way].join('.'), way, bounds }));
  }),
);

const ofGraphql = requestBounds(buildSchema(sdl));
const inGraphql: Way[] = [
  [],
  ['variables'],
  ['variables', 'input'],
  ['variables', 'input', 'packages', 0, 'address'],
  ['extensions'],
  ['extensions', 'persistedQuery'],
  ['elsewhere', 0],
];
const all = [...targets, ...inGraphql.map((way) => ({ name: ['graphql', ...way].join('.'), way, bounds: ofGraphql }))];

test('this test covers every operation with a body', () => {
  expect(targets.length).toBeGreaterThan(60);
});

describe.each(all.map((each) => [each.name, each] as const))('%s', (_, { way, bounds }) => {
  test(`takes no flood of new names, in one object or in many`, () => {
    const inOne = read(textAt(way, `{${namesOf(FLOOD)}}`), bounds);
    const many = Array.from({ length: FLOOD / 10 }, (_each, at) => `{${namesOf(10, 10 * at)}}`);
    const inMany = read(textAt(way, `{"a":[${many.join(',')}]}`), bounds);
    for (const { value, excess } of [inOne, inMany]) {
      expect(excess).toMatch(/^(names|items)$/);
      // Allowed besides: the names of the path, and one name at each step in an open object.
      expect(distinctNames(value).size).toBeLessThanOrEqual(MAX_OTHER_NAMES + way.length + 1);
    }
  });
});

describe('names of a text', () => {
  const closed = bodyBounds(
    {},
    {
      additionalProperties: false,
      properties: {
        a: {},
        b: {},
        list: {
          type: 'array',
          maxItems: 10_000,
          items: { additionalProperties: false, properties: { a: {}, b: {} } },
        },
        few: { maxProperties: 20 },
      },
    },
  );

  test('may be as many as the bound; one more ends the reading before it', () => {
    expect(read(`{${namesOf(MAX_OTHER_NAMES)}}`, closed).excess).toBeUndefined();
    const { value, excess } = read(`{"a":1,${namesOf(MAX_OTHER_NAMES + 1)},"b":2}`, closed);
    expect(excess).toBe('names');
    expect(Object.keys(Object(value))).toEqual(['a', ...Array.from({ length: MAX_OTHER_NAMES }, (_, at) => `n${at}`)]);
  });

  test('that the contract lists are not counted, in any spelling and spacing', () => {
    const items = (name: string) => `{"list":[${Array.from({ length: 1_000 }, () => `{${name}:1}`).join(',')}]}`;
    expect(read(items('"a"'), closed).excess).toBeUndefined();
    expect(read(items('"\\u0061"'), closed).excess).toBeUndefined();
    expect(read(items('"a" \n\t '), closed).excess).toBeUndefined();
    expect(read(items('"c"\n\t '), closed).excess).toBe('names');
  });

  test('that the contract lists may not be repeated endlessly', () => {
    const repeated = `{${Array.from({ length: MAX_OTHER_NAMES + 5 }, () => '"a":1').join(',')}}`;
    expect(read(repeated, closed).excess).toBe('names');
  });

  test('may be as many in each open object as the contract allows there', () => {
    expect(read(`{"few":{${namesOf(20)}}}`, closed).excess).toBeUndefined();
    expect(read(`{"few":{${namesOf(20 + MAX_OTHER_NAMES)}}}`, closed).excess).toBeUndefined();
    expect(read(`{"few":{${namesOf(21 + MAX_OTHER_NAMES)}}}`, closed).excess).toBe('names');
  });

  test('are not counted in texts that are values', () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `{"a":"n${at}","b":["m${at}"]}`).join(',');
    expect(read(`{"list":[${texts}]}`, closed).excess).toBeUndefined();
  });
});

test('a flood of names is refused by REST and by GraphQL, before its fields are looked at', async () => {
  const { token } = await service.customer();
  const order = await ask(service.url, 'POST', '/api/v1/orders', { token, body: `{${namesOf(FLOOD)}}` });
  const variables = `{"query":"{ __typename }","variables":{${namesOf(FLOOD)}}}`;
  const graphql = await ask(service.url, 'POST', '/graphql', { body: variables });
  const message = `must hold at most ${MAX_OTHER_NAMES} names that are not fields of the documented objects`;
  expect([order.status, graphql.status]).toEqual([400, 400]);
  expect(JSON.parse(order.text).error.details[0]).toEqual({ field: 'body', code: 'too_many', message });
  expect(graphql.text).toContain(message);
});

test('the largest number of variables in a document is accepted', async () => {
  const variables = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`v${at}`, at]));
  const { text } = await ask(service.url, 'POST', '/graphql', { body: { query: '{ __typename }', variables } });
  expect(JSON.parse(text)).toEqual({ data: { __typename: 'Query' } });
});
