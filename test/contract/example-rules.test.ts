import { describe, expect, test } from '@jest/globals';
import { type FieldNode, parse, valueFromASTUntyped, visit } from 'graphql';
import { type CatalogueStatus, listStatuses } from '../../src/packages/catalogue.js';
import { ownDatabase } from '../support/services.js';
import { bundles, fileNames, fileText, type Node, placesIn, resolve, trackingSchema } from './contract-files.js';
import { ruleFaults } from './domain-rules.js';

/** Examples keep the rules of the domain, too: check digits, limits, statuses that exist, sums that add up. */

const database = await ownDatabase();
const statuses = await listStatuses(database.db);
const catalogue = new Map<unknown, CatalogueStatus>(statuses.map((status) => [status.code, status]));

/** Values of the document under the names that they are examples of: `{ barcode: '378…' }`. */
function examplesOf(document: Node): unknown[] {
  return [...placesIn(document)].flatMap(({ pointer, node }) => {
    const examples = Object.values(Object(node['examples'])).map((each) => Object(resolve(document, each)).value);
    const own = 'example' in node ? [node['example']] : [];
    const name = typeof node['name'] === 'string' ? node['name'] : (pointer.split('/').at(-1) ?? '');
    return [...own, ...examples].map((value) => (typeof value === 'object' ? value : { [name]: value }));
  });
}

test.each(Object.entries(bundles))('the examples of %s', (_name, document) => {
  const examples = examplesOf(document);
  expect(examples.length).toBeGreaterThan(30);
  expect(examples.flatMap((value) => ruleFaults(value, catalogue))).toEqual([]);
});

test('the examples of the tracking payload', () => {
  expect([trackingSchema['examples']].flat().flatMap((value) => ruleFaults(value, catalogue))).toEqual([]);
});

describe('contracts/examples', () => {
  const names = fileNames('contracts/examples');

  test.each(names.filter((name) => name.endsWith('.json')))('%s', (name) => {
    expect(ruleFaults(JSON.parse(fileText(`contracts/examples/${name}`)), catalogue)).toEqual([]);
  });

  test.each(names.filter((name) => name.endsWith('.graphql')))('%s', (name) => {
    const values: unknown[] = [];
    const note = ({ arguments: given = [] }: FieldNode): void =>
      void values.push(...given.map(({ value }) => valueFromASTUntyped(value)));
    visit(parse(fileText(`contracts/examples/${name}`)), { Field: note });
    expect(values.length).toBeGreaterThan(0);
    expect(values.flatMap((value) => ruleFaults(value, catalogue))).toEqual([]);
  });
});

/** An order of one package, delivered at a time. */
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
])('%s is found', (_what, value) => {
  expect(ruleFaults(value, catalogue)).toHaveLength(1);
});
