import fc from 'fast-check';
import { fields, isNode, type Node, resolve } from '../contract/contract-files.js';

/** Values after a schema of the contract, right ones and others that are nearly right. */

/** Any of several, by their weights. */
export const mixOf = <T>(...parts: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Values that no client should send. */
const oddTexts = [
  '',
  ' ',
  'x'.repeat(300),
  '\u0000',
  '\ud800',
  '😀\u202e مرحبا',
  "'; drop table orders; --",
  '__proto__',
];
const nearlyRight = ['10000000-0000-0000-0000-000000000000', '2026-13-45T99:99:99Z'];
const oddNumbers = [-1, 0.1, 1e308, 10 ** 20, 2 ** 53];
const oddities = [null, true, ...oddTexts, ...oddNumbers, ...nearlyRight, [], {}, [[[[[[]]]]]]];

export const odd: fc.Arbitrary<unknown> = mixOf(
  [3, fc.constantFrom(...oddities)],
  [1, fc.jsonValue({ maxDepth: 3 })],
  [1, fc.string({ unit: 'binary', maxLength: 40 })],
);

/** Characters that text may hold, or should not, and that are easily lost or misread on the way. */
const controls = [
  ...['\u0000', '\u0001', '\b', '\t', '\n', '\v', '\r', '\u001b', '\u007f', '\u0085', '\u00a0', '\u00ad'],
  ...['\u200b', '\u2028', '\u2029', '\u202e', '\ufeff', '\ufffd', '\uffff', '\ud800', '\udfff', '\u{10ffff}'],
];

/** The text with a control character somewhere. */
const withControl = (value: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(value.length), fc.constantFrom(...controls))
    .map(([at, control]) => value.slice(0, at) + control + value.slice(at));

/** Values that some library takes for a number, a bound or a truth, and the contract does not. */
const spellings = [
  ...['Infinity', '-Infinity', '+Infinity', ' Infinity', 'infinity', 'NaN', '1e999', '-1e999', '1e2', '1E2', '5e-324'],
  ...['0x10', '0b1', '0o7', '010', '01', '+1', ' 1', '1 ', '\t1'],
  ...['1\u0000', '1.0', '1.', '.5', '-0', '0.0', '--1', '-'],
  ...['1_000', '1,000', '1n', '\uff11', '\u0663', '2147483648', '9007199254740993', '99999999999999999999'],
  `1${'0'.repeat(400)}`,
  ...['true', 'True', 'TRUE', 'false', 'yes', 'on', 'null', 'undefined', '[]', '[1]', '{}', '1,2'],
];

/** The text of one parameter: what the contract asks for, or now and then a spelling of something like it. */
export function parameterFor(schema: unknown, document: Node): fc.Arbitrary<string> {
  const right = valueFor(schema, document).map(String);
  return mixOf([6, right], [1, fc.constantFrom(...spellings)], [1, right.chain(withControl)]);
}

type Make = (schema: Node, document: Node) => fc.Arbitrary<unknown>;

const bound = (schema: Node, name: string, otherwise: number): number =>
  typeof schema[name] === 'number' ? schema[name] : otherwise;

const times = fc
  .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2090-01-01') })
  .map((date) => date.toISOString());

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid({ version: 7 }),
  email: fc.emailAddress().filter((address) => address.length <= 254),
  date: times.map((time) => time.slice(0, 10)),
  'date-time': times,
};

const text: Make = (schema, document) => {
  const plain = plainText(schema, document);
  return mixOf([20, plain], [1, plain.chain((value) => withControl(String(value)))]);
};

const plainText: Make = (schema) => {
  const format = formats[String(schema['format'])];
  if (format) return format;
  if (typeof schema['pattern'] === 'string') return fc.stringMatching(new RegExp(schema['pattern'], 'u'));
  const minLength = bound(schema, 'minLength', 0);
  return fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(60, bound(schema, 'maxLength', 60))),
  });
};

const integer: Make = (schema) =>
  fc.integer({
    min: Math.max(bound(schema, 'minimum', 0), -(2 ** 31)),
    max: Math.min(bound(schema, 'maximum', 1000), 2 ** 31 - 1),
  });

const number: Make = (schema) =>
  fc.double({ min: bound(schema, 'minimum', 0), max: bound(schema, 'maximum', 1000), noNaN: true });

const array: Make = (schema, document) => {
  const minLength = bound(schema, 'minItems', 0);
  return fc.array(valueFor(schema['items'], document), { minLength, maxLength: Math.max(minLength, 3) });
};

/** Keys of a map, which a contract does not name. */
const mapKeys = mixOf([9, fc.stringMatching(/^[a-z0-9]{1,8}$/)], [1, fc.constantFrom(...oddTexts, 'constructor')]);

const object: Make = (schema, document) => {
  if (isNode(schema['additionalProperties']))
    return fc.dictionary(mapKeys, valueFor(schema['additionalProperties'], document), { maxKeys: 4 });
  const required = [schema['required'] ?? []].flat().map(String);
  const properties = Object.entries(fields(schema['properties'])).map(
    ([name, child]): [string, fc.Arbitrary<unknown>] => [name, valueFor(child, document)],
  );
  const declared = fc.record(Object.fromEntries(properties), { requiredKeys: required });
  const spoilt = fc
    .tuple(declared, fc.constantFrom(...required, 'colour', '__proto__', 'constructor', 'id'), odd)
    .map(([value, name, other]) => Object.fromEntries([...Object.entries(value), [name, other]]));
  return mixOf([15, declared], [1, spoilt]);
};

const makers: Readonly<Record<string, Make>> = {
  string: text,
  integer,
  number,
  array,
  object,
  boolean: () => fc.boolean(),
};

function right(schema: Node, document: Node): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  const forms = schema['oneOf'];
  const make = makers[String(schema['type'])];
  if (make) return make(schema, document);
  return Array.isArray(forms) ? fc.oneof(...forms.map((form) => valueFor(form, document))) : odd;
}

/** A value after the schema, or now and then, at any depth, something else. */
export function valueFor(schema: unknown, document: Node): fc.Arbitrary<unknown> {
  const resolved = resolve(document, schema);
  if (!isNode(resolved)) return odd;
  return mixOf([30, right(resolved, document)], [1, odd]);
}
