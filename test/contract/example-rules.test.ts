import { describe, expect, test } from '@jest/globals';
import { type FieldNode, parse, valueFromASTUntyped, visit } from 'graphql';
import { type CatalogueStatus, listStatuses } from '../../src/packages/catalogue.js';
import { ownDatabase } from '../support/services.js';
import { bundles, fileNames, fileText, type Node, placesIn, resolve, trackingSchema } from './contract-files.js';
import { ruleFaults } from './domain-rules.js';

/** Examples keep the rules of the domain, too: check digits, ids, statuses that exist and what they carry. */

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

test.each<[what: string, value: object]>([
  ['a wrong check character', { tracking_code: '7ZK3M9P2QXWR' }],
  ['a wrong check digit', { barcode: '378912345678901234' }],
  ['an id that the service would not make', { id: '01930f5e-7d3c-4a41-9c55-0d6f2b8e4a10' }],
  ['a status that does not exist', { status_code: 4 }],
  ['a status of another name', { code: 5, highLevelStatus: 'Com problema' }],
  ['a status without what it needs', { code: 6, highLevelStatus: 'Com problema', actionRequired: null }],
  ['a status of another stage', { code: 5, high_level_status: 'Entregue', stage: 'processing' }],
  ['a shown status without what it needs', { code: 6, stage: 'processing', updated_at: '2026-11-20T12:00:00Z' }],
])('%s is found', (_what, value) => {
  expect(ruleFaults(value, catalogue)).toHaveLength(1);
});
