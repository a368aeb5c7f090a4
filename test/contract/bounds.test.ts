import { describe, expect, test } from '@jest/globals';
import { fields, type Node, operationsOf, placesIn, sources } from './contract-files.js';

// Formats whose values have a length of their own. Bytes have none: some generators take `maxLength` of a file for that
// of a text.
const boundedFormats = ['date', 'date-time', 'uuid', 'binary'];

const isBoundedText = (node: Node): boolean =>
  typeof node['maxLength'] === 'number' ||
  Array.isArray(node['enum']) ||
  boundedFormats.includes(String(node['format']));

const isBoundedNumber = (node: Node): boolean =>
  Array.isArray(node['enum']) || (typeof node['minimum'] === 'number' && typeof node['maximum'] === 'number');

const rules: Readonly<Record<string, (node: Node) => boolean>> = {
  string: isBoundedText,
  number: isBoundedNumber,
  integer: isBoundedNumber,
  array: (node) => typeof node['maxItems'] === 'number',
};

const unbounded = (document: Node): string[] =>
  [...placesIn(document)]
    .filter(({ node }) => rules[String(node['type'])]?.(node) === false)
    .map(({ pointer }) => pointer);

describe.each(Object.entries(sources))('%s', (_name, document) => {
  test('every string, number and array is bounded', () => {
    expect(unbounded(document)).toEqual([]);
  });

  test('bytes that are sent are bounded by the operation', () => {
    const taking = operationsOf(document).filter(({ node }) => {
      const content = fields(fields(node['requestBody'])['content']);
      return Object.keys(content).some((type) => type !== 'application/json');
    });
    expect(taking.filter(({ node }) => typeof node['x-max-body'] !== 'number').map(({ id }) => id)).toEqual([]);
  });
});

test('a schema without bounds is found', () => {
  const loose = { a: { type: 'string' }, b: { type: 'integer', minimum: 0 }, c: { type: 'array', items: {} } };
  expect(unbounded(loose)).toEqual(['#/a', '#/b', '#/c']);
});
