import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  assertObjectType,
  buildSchema,
  execute,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { sdl } from '../../generated/schema.js';
import { executeKnown, type Projections, Settled } from '../../src/graphql/execution.js';
import { pacedEntries } from '../../src/graphql/pacing.js';

/** The contract's schema, whose root fields resolve to what they are told to; counts how often they do. */
function schemaOf(outcome: () => unknown): { schema: GraphQLSchema; calls: () => number } {
  const schema = buildSchema(sdl);
  let calls = 0;
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      field.resolve = async (parent: unknown) => {
        if (parent instanceof Settled) return parent.result;
        calls += 1;
        return outcome();
      };
    }
  }
  const { edges } = assertObjectType(schema.getType('OrderConnection')).getFields();
  if (edges) edges.resolve = pacedEntries;
  return { schema, calls: () => calls };
}

const INPUT = `input: { paymentMethod: 1, pickups: [{ address: { address: "a" } }], packages: [{
  pickupIndex: 0, recipient: { name: "b", phone: "c" }, address: { address: "d" },
  dimensions: { width: 1, height: 1, length: 1, weight: 1 } }] }`;

const projected = {
  order: `{ order(pk: "1") { pk number: status externalId createdAt pricing { totalCm lines { kind quantity } } packages {
    loggiKey waypoint { eta index } dimensions { width } status { code actionRequired { reasonLabel } } } } }`,
  'an alias and a type': '{ mine: me { __typename id: pk email name } }',
  'merged fields and fragments': `{ ...root } fragment root on Query { package(loggiKey: "1") { ...a waypoint { index } ... { barcode } } }
    fragment a on Package { waypoint { eta } barcode trackingCode }`,
  createOrder: `mutation { createOrder(${INPUT}) { success orders { pk packages { pickupWaypoint { eta legDistance } } } errors { field message } } }`,
  'a list': '{ paymentMethods { id kind label } }',
  'a list whose entries come in turns': `{ orders { pageInfo { hasNextPage } edges { cursor node { pk packages { loggiKey status { code } } } }
    again: edges { cursor } } }`,
};
const plain = {
  'several root fields': '{ me { pk } paymentMethods { id } }',
  'a directive': '{ me { pk email @skip(if: true) } }',
  introspection: '{ __typename }',
  'a name that is a prototype': '{ me { __proto__: pk email } }',
};

/** A value of a type; one of ten parts of it does not fit. */
function valueFor(type: GraphQLOutputType, depth = 0): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(
    null,
    undefined,
    'x',
    3,
    2.5,
    2 ** 40,
    true,
    {},
    [],
    Number.NaN,
    ['x'],
    [null],
  );
  return fc.oneof({ weight: 40, arbitrary: right(type, depth) }, { weight: 1, arbitrary: wrong });
}

function right(type: GraphQLOutputType, depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valueFor(type.ofType, depth);
  if (isListType(type)) return fc.array(valueFor(type.ofType, depth), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isObjectType(type)) {
    if (depth > 5) return fc.constant(null);
    const fields = Object.entries(type.getFields()).map(([name, field]) => [name, valueFor(field.type, depth + 1)]);
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
  }
  const scalars: Record<string, fc.Arbitrary<unknown>> = {
    Int: fc.integer(),
    Float: fc.double({ noNaN: true, noDefaultInfinity: true }),
    Boolean: fc.boolean(),
  };
  return scalars[getNamedType(type).name] ?? fc.string();
}

function rootTypeOf(text: string): GraphQLOutputType {
  const schema = buildSchema(sdl);
  const name = /(orders?|me|package|createOrder|paymentMethods)\b/.exec(text.replace('mutation', ''))?.[1] ?? '';
  const field = schema.getQueryType()?.getFields()[name] ?? schema.getMutationType()?.getFields()[name];
  if (!field) throw new Error(`no root field in ${text}`);
  return field.type;
}

describe('an operation whose shape has passed before', () => {
  test.each(Object.entries({ ...projected, ...plain }))('is answered as graphql-js does: %s', async (_, text) => {
    const document = parse(text);
    expect(validate(buildSchema(sdl), document, specifiedRules)).toEqual([]);
    const projections: Projections = new Map();
    const type = text === plain.introspection ? undefined : rootTypeOf(text);
    let outcome: unknown;
    const [usual, known] = [schemaOf(() => outcome), schemaOf(() => outcome)];
    await fc.assert(
      fc.asyncProperty(type ? valueFor(type) : fc.constant(null), async (value) => {
        outcome = value;
        const expected = await execute({ schema: usual.schema, document });
        const answer = await executeKnown({ schema: known.schema, document, projections });
        expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
        expect(known.calls()).toBe(usual.calls());
      }),
      { numRuns: 150 },
    );
    expect([...projections.values()].some((project) => project !== null)).toBe(Object.values(projected).includes(text));
  });

  test('fails as graphql-js does when its resolver fails, which is called once', async () => {
    const { schema, calls } = schemaOf(() => {
      throw new Error('no');
    });
    const document = parse(projected.createOrder);
    const expected = await execute({ schema, document });
    const answer = await executeKnown({ schema, document, projections: new Map() });
    expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
    expect(calls()).toBe(2);
  });

  test('is refused as graphql-js does when a variable has the wrong type, before anything runs', async () => {
    const { schema, calls } = schemaOf(() => null);
    const document = parse('query ($pk: ID!) { order(pk: $pk) { pk } }');
    for (const variableValues of [{}, { pk: null }, { pk: [] }]) {
      const expected = await execute({ schema, document, variableValues });
      const answer = await executeKnown({ schema, document, variableValues, projections: new Map() });
      expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
    }
    expect(calls()).toBe(0);
  });
});
