import { describe, expect, test } from '@jest/globals';
import { buildSchema, type FieldNode, parse, validate, valueFromASTUntyped, visit } from 'graphql';
import { type CatalogueStatus, listStatuses } from '../../src/packages/catalogue.js';
import { ownDatabase } from '../support/services.js';
import {
  bundles,
  fields,
  fileNames,
  fileText,
  isNode,
  type Node,
  operationsOf,
  placesIn,
  resolve,
  sdl,
  trackingSchema,
} from './contract-files.js';
import { ruleFaults } from './domain-rules.js';
import { schemaCheck } from './schema-check.js';

/** Examples fit their schemas and the rules of the domain: check digits, limits, known statuses and sums. */

const database = await ownDatabase();
const statuses = await listStatuses(database.db);
const catalogue = new Map<unknown, CatalogueStatus>(statuses.map((status) => [status.code, status]));
const breachesOf = (value: unknown): string[] => ruleFaults(value, catalogue);

/** The example values of a media type, a parameter or a header. */
function examplesOf(document: Node, node: Node): unknown[] {
  const named = Object.values(fields(node['examples'])).map((example) => fields(resolve(document, example))['value']);
  return 'example' in node ? [node['example'], ...named] : named;
}

const hasExample = (node: Node): boolean => 'example' in node || 'examples' in node;

/** The bodies of requests and successful answers of an operation, by place. */
function bodiesOf(document: Node, operation: Node): [string, Node][] {
  const answers = Object.entries(fields(operation['responses'])).filter(([status]) => status.startsWith('2'));
  return [['request', operation['requestBody']], ...answers].flatMap(([name, body]) =>
    Object.values(fields(fields(resolve(document, body))['content'])).map((media): [string, Node] => [
      String(name),
      fields(media),
    ]),
  );
}

/** Every example with the pointer of its schema. `named` is the example as a property with its name. */
function examplesIn(document: Node): { pointer: string; value: unknown; named: unknown }[] {
  return [...placesIn(document)].flatMap(({ pointer, node }) => {
    const at = isNode(node['schema']) ? `${pointer}/schema` : pointer;
    const name = typeof node['name'] === 'string' ? node['name'] : (pointer.split('/').at(-1) ?? '');
    const named = (value: unknown) => (typeof value === 'object' ? value : { [name]: value });
    return examplesOf(document, node).map((value) => ({ pointer: at, value, named: named(value) }));
  });
}

describe.each(Object.entries(bundles))('%s', (_name, document) => {
  const check = schemaCheck(document);

  test.each(operationsOf(document))('$id has an example for each body', ({ node }) => {
    const bare = bodiesOf(document, node).filter(([, media]) => examplesOf(document, media).length === 0);
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  // An explorer fills in examples. A filter would then find nothing, and a key would repeat the answer of others.
  test('no optional parameter has an example', () => {
    const filled = operationsOf(document).flatMap(({ id, node }) =>
      [node['parameters'] ?? []]
        .flat()
        .map((each) => fields(resolve(document, each)))
        .filter(({ required }) => required !== true)
        .filter((each) => [each, fields(resolve(document, each['schema']))].some(hasExample))
        // An empty example keeps explorers from inventing a value.
        .filter(({ example }) => JSON.stringify(example) !== '{}')
        .map(({ name }) => `${id}: ${name}`),
    );
    expect(filled).toEqual([]);
  });

  test('every example fits its schema and keeps the rules', () => {
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(operationsOf(document).length);
    expect(examples.flatMap(({ pointer, value }) => check(pointer, value))).toEqual([]);
    expect(examples.flatMap(({ named }) => breachesOf(named))).toEqual([]);
  });
});

test('the examples of the tracking payload fit its schema and keep the rules', () => {
  const check = schemaCheck(trackingSchema);
  const examples = [trackingSchema['examples'] ?? []].flat();
  expect(examples.length).toBeGreaterThan(0);
  expect(examples.flatMap((value) => [...check('#', value), ...breachesOf(value)])).toEqual([]);
});

describe('contracts/examples', () => {
  const names = fileNames('contracts/examples');
  const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

  /** Checks a file, which is named after the operation of its body. */
  function checkFile(name: string, value: unknown): string[] {
    if (name === 'tracking-payload.json') return schemaCheck(trackingSchema)('#', value);
    const id = camelCase(name.replace(/\.json$/, ''));
    for (const document of Object.values(bundles)) {
      const operation = operationsOf(document).find((each) => each.id === id);
      if (!operation) continue;
      return schemaCheck(document)(`${operation.pointer}/requestBody/content/application~1json/schema`, value);
    }
    return [`no operation ${id} for ${name}`];
  }

  test.each(names.filter((name) => name.endsWith('.json')))('%s fits its schema and keeps the rules', (name) => {
    const value: unknown = JSON.parse(fileText(`contracts/examples/${name}`));
    expect([...checkFile(name, value), ...breachesOf(value)]).toEqual([]);
  });

  test.each(names.filter((name) => name.endsWith('.graphql')))('%s is valid and keeps the rules', (name) => {
    const document = parse(fileText(`contracts/examples/${name}`));
    expect(validate(buildSchema(sdl), document)).toEqual([]);
    const values: unknown[] = [];
    const note = ({ arguments: given = [] }: FieldNode): void =>
      void values.push(...given.map(({ value }) => valueFromASTUntyped(value)));
    visit(document, { Field: note });
    expect(values.length).toBeGreaterThan(0);
    expect(values.flatMap(breachesOf)).toEqual([]);
  });
});

/** An order of one package that arrives at this time. */
const delivered = (eta: string, promised_date: string) => ({
  route: { distance: 10 },
  packages: [
    {
      pickup_waypoint: { index: 0, eta: '2026-11-18T12:00:00Z', leg_distance: 0 },
      waypoint: { index: 1, eta, leg_distance: 10 },
      promised_date,
    },
  ],
});

test.each<[what: string, value: object]>([
  ['a wrong check character', { tracking_code: '7ZK3M9P2QXWR' }],
  ['a wrong check digit', { barcode: '378912345678901234' }],
  ['an id that the service would not make', { id: '01930f5e-7d3c-4a41-9c55-0d6f2b8e4a10' }],
  ['a status that does not exist', { status_code: 4 }],
  ['a status of another name', { code: 5, highLevelStatus: 'Com problema' }],
  ['a status without what it needs', { code: 6, highLevelStatus: 'Com problema', actionRequired: null }],
  ['a status of another stage', { code: 5, high_level_status: 'Entregue', stage: 'processing' }],
  ['a shown status without what it needs', { code: 6, stage: 'processing', updated_at: '2026-11-20T12:00:00Z' }],
  ['sides that are too long together', { width: 80, height: 80, length: 80, weight: 1 }],
  ['a total that is not the sum', { total: '2.00', lines: [{ quantity: 1, unit_price: '1.00', amount: '1.00' }] }],
  ['a delivery on a Sunday', delivered('2026-11-22T13:00:00Z', '2026-11-22')],
  ['a delivery at night', delivered('2026-11-18T23:00:00Z', '2026-11-18')],
  ['a date that is not the one of the arrival', delivered('2026-11-18T13:00:00Z', '2026-11-19')],
  ['a package of no pickup', { pickups: [{}], packages: [{ pickupIndex: 1 }] }],
  ['a package of no size', { pickup_index: 0, recipient: {} }],
  ['pages that do not hold the items', { page_size: 20, total_items: 41, total_pages: 2 }],
  ['times in the wrong order', { created_at: '2026-11-20T12:00:00Z', updated_at: '2026-11-20T11:00:00Z' }],
])('the rules refuse %s', (_what, value) => {
  expect(breachesOf(value)).toHaveLength(1);
});
