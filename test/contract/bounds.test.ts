import { describe, expect, test } from '@jest/globals';
import { type Dimensions, dimensionErrors, maxDimensions } from '../../src/base/dimensions.js';
import { rateErrors } from '../../src/carrier/pricing.js';
import { bundles, fields, type Node, operationsOf, placesIn, sources } from './contract-files.js';

// Formats whose values have a bounded length. Bytes get no `maxLength`, because some generators take it for the length
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

  test('the operation bounds the bytes that are sent', () => {
    const taking = operationsOf(document).filter(({ node }) => {
      const content = fields(fields(node['requestBody'])['content']);
      return Object.keys(content).some((type) => type !== 'application/json');
    });
    expect(taking.filter(({ node }) => typeof node['x-max-body'] !== 'number').map(({ id }) => id)).toEqual([]);
  });
});

test('the check finds a schema without bounds', () => {
  const loose = { a: { type: 'string' }, b: { type: 'integer', minimum: 0 }, c: { type: 'array', items: {} } };
  expect(unbounded(loose)).toEqual(['#/a', '#/b', '#/c']);
});

/** A domain may not read the contracts, so its limits are written in both. Here they must agree. */

const { schemas } = fields(bundles.rest['components']);
const schema = (name: string) => fields(fields(schemas)[name]);
const property = (of: string, name: string) => fields(fields(schema(of)['properties'])[name]);

const cube: Dimensions = { width: 1, height: 1, length: 1, weight: 1 };
const isTaken = (more: Partial<Dimensions>) => dimensionErrors({ ...cube, ...more }, 'size').length === 0;

test('the largest side and weight are the same as in the contract', () => {
  const [side, weight] = [Number(schema('Centimetres')['maximum']), Number(schema('Grams')['maximum'])];
  for (const name of ['width', 'height', 'length'] as const)
    expect([isTaken({ [name]: side }), isTaken({ [name]: side + 0.01 })]).toEqual([true, false]);
  expect([isTaken({ weight }), isTaken({ weight: weight + 0.01 })]).toEqual([true, false]);
  expect(maxDimensions.weight).toBe(weight);
});

test('the largest order, which is used to check rates, is the same as in the contract', () => {
  const [pickups, packages] = ['pickups', 'packages'].map((name) => property('OrderCreate', name)['maxItems']);
  const quantity = property('PriceLine', 'quantity')['maximum'];
  const expensive = {
    base_centavos: 999_999_999_999,
    per_km_centavos: 1,
    per_kg_centavos: 1,
    per_extra_stop_centavos: 1,
    volumetric_cm3_per_kg: 6_000,
    urban_km: null,
    zones: null,
    ad_valorem: null,
  };
  expect(rateErrors(expensive)[0]?.message).toContain(`${pickups} pickups, ${packages} packages, ${quantity} km`);
});
