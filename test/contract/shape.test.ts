import { describe, expect, test } from '@jest/globals';
import { patternTexts } from '../../src/validation/document.js';
import { bundles, fields, isNode, type Node, operationsOf, placesIn, resolve, sources } from './contract-files.js';
import { schemaCheck } from './schema-check.js';

/** Rules of schemas: for clients that must work after additions, and for public generators. */

type Way = 'request' | 'answer';

/** Every object in the schemas of requests or of answers. A referenced schema counts once. */
function schemasOf(document: Node, way: Way): Node[] {
  const seen = new Set<unknown>();
  const walk = (value: unknown): void => {
    const node = resolve(document, value);
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    for (const [key, child] of Object.entries(node)) if (!/^examples?$/.test(key)) walk(child);
  };
  for (const { node } of operationsOf(document)) {
    if (way === 'answer') walk(node['responses']);
    else for (const part of [node['requestBody'], node['parameters']]) walk(part);
  }
  return [...seen].filter(isNode);
}

const names = (nodes: readonly Node[]): unknown[] => nodes.map((node) => node['title'] ?? node);
const namesOf = (document: Node, kind: string): string[] => Object.keys(fields(fields(document['components'])[kind]));

describe.each(Object.entries(bundles))('%s', (_name, document) => {
  const requests = schemasOf(document, 'request');
  const answers = schemasOf(document, 'answer');

  test('requests are strict: no field beyond the documented ones', () => {
    // Unknown parameters of a token request are ignored (RFC 6749, 3.2).
    const records = requests.filter((node) => isNode(node['properties']) && node['title'] !== 'TokenRequest');
    expect(records.length).toBeGreaterThan(3);
    expect(names(records.filter((node) => node['additionalProperties'] !== false))).toEqual([]);
  });

  test('answers are open: fields and values may be added', () => {
    expect(answers.filter((node) => isNode(node['properties'])).length).toBeGreaterThan(10);
    expect(names(answers.filter((node) => node['additionalProperties'] === false || 'enum' in node))).toEqual([]);
  });

  test('a list of values that may grow is only on text, and not in requests', () => {
    const extensible = answers.filter((node) => 'x-extensible-enum' in node);
    expect(extensible.length).toBeGreaterThan(5);
    expect(names(extensible.filter((node) => node['type'] !== 'string'))).toEqual([]);
    expect(names(requests.filter((node) => 'x-extensible-enum' in node))).toEqual([]);
  });

  test('no choice is beside properties, and no pattern beside a format for which generators have a type', () => {
    const nodes = [...requests, ...answers];
    const choices = nodes.filter((node) => isNode(node['properties']) && ('oneOf' in node || 'anyOf' in node));
    expect(names(choices)).toEqual([]);
    const typed = ['date', 'date-time', 'uuid', 'email', 'uri'];
    expect(names(nodes.filter((node) => 'pattern' in node && typed.includes(String(node['format']))))).toEqual([]);
  });

  test('no pattern escapes a character beyond ASCII, because Ruby cannot read such a client', () => {
    const patterns = [...placesIn(document)].map(({ node }) => String(node['pattern'] ?? ''));
    expect(patterns.filter((pattern) => /\\x[89a-f]|\\u/i.test(pattern))).toEqual([]);
  });

  test('each pattern has a sentence for people who type such a value', () => {
    const asked = requests.filter((node) => 'pattern' in node);
    expect(asked.length).toBeGreaterThan(3);
    const said = patternTexts(document);
    expect(names(asked.filter((node) => !said.has(String(node['pattern']))))).toEqual([]);
  });

  test('a package has one key, with the same type everywhere', () => {
    const keys = [...placesIn(document)].flatMap(({ pointer, node }) => {
      const property = fields(node['properties'])['loggi_key'];
      const schema = property ?? (node['name'] === 'loggi_key' ? node['schema'] : undefined);
      return schema === undefined ? [] : [{ pointer, schema }];
    });
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter(({ schema }) => fields(schema)['$ref'] !== '#/components/schemas/LoggiKey')).toEqual([]);
  });

  test('statuses are named one by one', () => {
    const statuses = operationsOf(document).flatMap(({ node }) => Object.keys(fields(node['responses'])));
    expect(statuses.filter((status) => !/^\d{3}$/.test(status))).toEqual([]);
  });

  test('no schema has the name of a parameter, of an answer, or one that languages and generators use', () => {
    const schemas = namesOf(document, 'schemas');
    const others = [...namesOf(document, 'parameters'), ...namesOf(document, 'responses')];
    const made = operationsOf(document).map(({ id }) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Response`);
    const taken = new Set([...others, ...made, 'Error', 'Package', 'Object', 'Type']);
    expect(schemas.filter((name) => taken.has(name))).toEqual([]);
  });

  test('the check of an answer finds an undocumented field or value', () => {
    const check = schemaCheck(document);
    const body = { code: 'NOT_FOUND', reason: 'record_not_found', message: 'x', details: [] };
    expect(check('#/components/schemas/ErrorBody', body)).toEqual([]);
    expect(check('#/components/schemas/ErrorBody', { ...body, hint: 'x' })).toHaveLength(1);
    expect(check('#/components/schemas/ErrorBody', { ...body, code: 'NEW' })).toHaveLength(1);
  });
});

describe('the contract is as strict as the service', () => {
  const parameter = (name: string): string => `#/components/parameters/${name}/schema`;
  const schema = (name: string): string => `#/components/schemas/${name}`;
  const check = { rest: schemaCheck(bundles.rest), operator: schemaCheck(bundles.operator) };
  const movement = `${schema('MovementInput')}/properties/happened_at`;

  const rightUrls = ['https://a.example', 'https://[2001:db8::1]:8443/x?y=@', 'https://é.example/%20'];
  const wrongUrls = [
    ...['http://a.example', 'https://', 'https:///x', 'https://u:p@a.example', 'https://a.example/#x'],
    'https://a.example/ x',
  ];
  const rightTimes = [
    ...['2026-11-20T14:03:21Z', '2028-02-29T23:59:59.123456-14:59', '2000-02-29T00:00:00+00:00'],
    ...['2026-04-30T00:00:00.1Z', '2026-12-31T00:00:00Z'],
  ];
  const wrongTimes = [
    ...['2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-11-20T24:00:00Z', '2026-11-20T23:59:60Z'],
    ...['1999-12-31T00:00:00Z', '2026-11-20T14:03:21', '2026-11-20T14:03:21.1234567Z', '2026-11-20t14:03:21z'],
    ...['2026-00-10T00:00:00Z', 'soon', ''],
  ];

  test.each<[contract: keyof typeof check, pointer: string, right: unknown[], wrong: unknown[]]>([
    ['rest', parameter('IfMatch'), ['*', '"3"', 'W/"3", "4"', '""'], ['3', '"3', '"3" "4"', '**', ',', '"a b"']],
    ['rest', schema('Money'), ['0.00', '9999999999.99'], ['00.00', '01.00', '1.0', '10000000000.00', '-1.00']],
    ['operator', schema('Rate'), ['0.00', '99999.99'], ['01.20', '100000.00', '.20']],
    ['rest', schema('Password'), ['correct\nhorse', 'correct horse \u{1f40e}'], ['correct\0horse']],
    ['rest', `${schema('LoginRequest')}/properties/password`, ['x'], ['x\0']],
    ['rest', `${schema('UserUpdate')}/properties/current_password`, ['x'], ['x\0']],
    ['operator', schema('BasicUsername'), ['malote', 'José'], ['a:b', 'a\n', 'a\u0085', '']],
    ['operator', schema('BasicPassword'), ['a:b c'], ['a\t', '\0', '']],
    ['operator', schema('WebhookUrl'), rightUrls, wrongUrls],
    ['operator', movement, rightTimes, wrongTimes],
  ])('%s %s', (contract, pointer, right, wrong) => {
    expect(right.filter((value) => check[contract](pointer, value).length > 0)).toEqual([]);
    expect(wrong.filter((value) => check[contract](pointer, value).length === 0)).toEqual([]);
  });

  test('a movement may happen only on days that exist', () => {
    const days = Array.from({ length: 40 }, (_, year) => 2000 + year).flatMap((year) =>
      Array.from({ length: 12 }, (_, month) => month + 1).flatMap((month) =>
        [28, 29, 30, 31].map((day) => `${year}-${String(month).padStart(2, '0')}-${day}`),
      ),
    );
    const exists = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
    const odd = days.filter((day) => (check.operator(movement, `${day}T00:00:00Z`).length === 0) !== exists(day));
    expect(odd).toEqual([]);
  });
});

test('no document repeats a schema that is never used', () => {
  for (const document of Object.values(bundles)) {
    const used = new Set(
      [...placesIn(document)].flatMap(({ node }) => (typeof node['$ref'] === 'string' ? [node['$ref']] : [])),
    );
    const idle = namesOf(document, 'schemas').filter((name) => !used.has(`#/components/schemas/${name}`));
    expect(idle).toEqual([]);
  }
});

// Titles and descriptions do not make schemas different.
const annotations = ['title', 'description', 'example', 'examples'];

/** A text that is equal for two schemas that allow the same values. */
function fingerprint(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(fingerprint).join()}]`;
  if (!isNode(value)) return JSON.stringify(value);
  const compared = Object.keys(value)
    .filter((key) => !annotations.includes(key))
    .sort();
  return `{${compared.map((key) => `${key}:${fingerprint(key === '$ref' ? String(value[key]).replace(/^.*#/, '') : value[key])}`).join()}}`;
}

const components = (document: Node, kind: string): Node => fields(fields(document['components'])[kind]);
const rest = sources['openapi.yaml'];
const operator = sources['operator.openapi.yaml'];
const kinds = ['schemas', 'parameters', 'headers', 'responses', 'examples'];

describe('operator.openapi.yaml repeats nothing of openapi.yaml', () => {
  test.each(kinds)('no name among its %s', (kind) => {
    const taken = Object.keys(components(rest, kind));
    expect(Object.keys(components(operator, kind)).filter((name) => taken.includes(name))).toEqual([]);
  });

  test('no record, at any place', () => {
    const known = new Map(
      Object.entries(components(rest, 'schemas')).map(([name, schema]) => [fingerprint(schema), name]),
    );
    // Two scalars may have equal bounds by chance, but two records do not have equal fields by chance.
    const records = [...placesIn(operator)].filter(({ node }) => isNode(node['properties']));
    const repeated = records.flatMap(({ pointer, node }) => {
      const name = known.get(fingerprint(node));
      return name === undefined ? [] : [`${pointer} is ${name}`];
    });
    expect(repeated).toEqual([]);
  });
});
