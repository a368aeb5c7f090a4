import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSchema, execute, parse } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { createDocuments, scan, validator } from '../../src/graphql/documents.js';
import { documentLimits } from '../../src/graphql/limits.js';

describe('the shape of a document', () => {
  const shapeOf = (text: string) => scan(text).shape;

  test('leaves out the contents of strings and the values of numbers', () => {
    expect(shapeOf('{ a1(b: "x \\" }", c: -12, d: 1.5e3, e: [1 2.0]) }')).toBe(
      '{ a1(b: "", c: 0, d: 0.0, e: [0 0.0]) }',
    );
  });

  test('keeps names, enum values, variables and kinds', () => {
    const texts = ['1', '1.0', '1e0', '"1"', 'one', 'true', 'null', '$one', '[1]', '{a: 1}'];
    expect(new Set(texts.map((value) => shapeOf(`{ a(b: ${value}) }`))).size).toBe(texts.length - 1);
  });

  test.each(['{ a(b: """1""") }', '{ a } # why', '{ a(b: 2147483648) }'])('is undefined for %s', (text) => {
    expect(shapeOf(text)).toBeUndefined();
  });

  test('comes with the depth of nested brackets, except those in strings and comments', () => {
    expect(scan('{ a(b: [{c: "{{{{"}]) { d } } # {{{{{{{').nesting).toBe(4);
  });
});

describe('a document whose shape has passed before', () => {
  /** The contract's schema. Its root fields answer with their own arguments. */
  const schema = buildSchema(sdl);
  const problemsIn = validator(schema);
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {}))
      field.resolve = (_parent, args) => {
        const echo = JSON.stringify(args);
        return { pk: echo, cursor: echo, loggiKey: echo, edges: [{ cursor: echo }], errors: [{ field: echo }] };
      };

  /** Answers without any cache. */
  function plainly(text: string, variables: object): unknown {
    try {
      const document = parse(text, { maxTokens: documentLimits.tokens, noLocation: true });
      const errors = problemsIn(document);
      if (errors.length > 0) return { errors };
      return execute({ schema, document, variableValues: { ...variables } });
    } catch (error) {
      return { errors: [error] };
    }
  }

  test('is answered as if it were validated: 2 000 documents', () => {
    const prepare = createDocuments(schema);
    const passed = new Set<string>();
    let hits = 0;
    const check = (text: string) => {
      const variables = { v: 5, s: 'text' };
      const expected = plainly(text, variables);
      const prepared = prepare(text);
      const actual =
        'errors' in prepared ? prepared : execute({ schema, document: prepared.document, variableValues: variables });
      const [actualText, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
      // An assertion for each of them would take longer than all the rest.
      if (actualText !== expectedText) expect({ text, actualText }).toEqual({ text, actualText: expectedText });
      const { shape } = scan(text);
      if (shape === undefined || 'errors' in prepared) return;
      if (passed.has(shape)) hits += 1;
      passed.add(shape);
    };
    fc.assert(
      fc.property(variants, (texts) => texts.forEach(check)),
      { numRuns: 500 },
    );
    expect(hits).toBeGreaterThan(200);
  });

  test('still fails when two fields of one name have different arguments', () => {
    const prepare = createDocuments(schema);
    expect(prepare('{ order(pk: "1") { pk } order(pk: "1") { status } }')).toHaveProperty('document');
    expect(prepare('{ order(pk: "1") { pk } order(pk: "2") { status } }')).toHaveProperty('errors');
  });
});

const string = fc
  .array(fc.constantFrom('a', ' ', '1', '{', ')', '#', '\\"', '\\\\', '\\u00e3', 'é', '$v', "'"), { maxLength: 6 })
  .map((parts) => `"${parts.join('')}"`);
const whole = fc.constantFrom(
  ...['0', '1', '-1', '20', '100', '101', '999999999', '2147483647', '2147483648', '-2147483649'],
);
const decimal = fc.constantFrom('1.0', '-0.5', '1e2', '2.5E-3', '1e999');
const odd = fc.constantFrom(
  ...['null', 'true', 'created', '$v', '"""block"""', '[]', '[1 "a"]', '{pk: 1}', '01', '1-2', '"'],
);

/** Values for one place in four variants of a document. Most of them have the right kind. */
const values = (kind: fc.Arbitrary<string>) =>
  fc.array(
    fc.oneof(
      { weight: 30, arbitrary: kind },
      { weight: 1, arbitrary: string },
      { weight: 1, arbitrary: whole },
      { weight: 1, arbitrary: decimal },
      { weight: 1, arbitrary: odd },
    ),
    { minLength: 4, maxLength: 4 },
  );
const places = fc.record({
  string: fc.array(values(string), { minLength: 8, maxLength: 8 }),
  whole: fc.array(values(whole), { minLength: 8, maxLength: 8 }),
});

/** `?s` stands for a string, `?i` for an integer. */
const field = fc.constantFrom(
  'order(pk: ?s) { pk }',
  'order(pk: ?i) { status }',
  'a: order(pk: ?s) { pk ... { pk } }',
  'a: package(loggiKey: ?s) { loggiKey }',
  'package(loggiKey: ?s) { __typename }',
  'orders(first: ?i) { edges { cursor } }',
  'b: orders(first: ?i, after: ?s) { edges { cursor } }',
  'c: orders { edges { cursor } }',
  'd: order(pk: ?s) @include(if: true) { pk }',
  '__typename',
  'estimateOrder(input: { paymentMethod: ?i, pickups: [{ address: { address: ?s } }], packages: [] }) { errors { field } }',
);
const frame = fc.constantFrom(
  '{ @ }',
  'query Q { @ }',
  'query ($v: Int = ?i, $t: String = ?s) { e: orders(first: $v, after: $t) { edges { cursor } } @ }',
  'query ($v: Int! = ?i) { orders(first: $v) { edges { cursor } } @ }',
  '{ ...part @ } fragment part on Query { order(pk: ?s) { pk } }',
  '{ ...part @ } fragment part on Query { f: order(pk: ?i) { pk } }',
  '{ @ } # ?s',
  'mutation { createOrder(input: { paymentMethod: ?i, externalId: ?s, pickups: [], packages: [] }) { errors { field } } }',
);

/** Four documents that differ in their values. */
const variants = fc
  .tuple(frame, fc.array(field, { minLength: 1, maxLength: 3 }), places)
  .map(([outer, fields, valuesOf]) => {
    const template = outer.replace('@', fields.join(' '));
    return [0, 1, 2, 3].map((variant) => {
      let at = 0;
      const written = (kind: string) => valuesOf[kind === '?s' ? 'string' : 'whole'][at++]?.[variant] ?? '1';
      return template.replace(/\?[si]/g, written);
    });
  });
