import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseType,
  print,
  specifiedRules,
  typeFromAST,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { sdl } from '../../generated/schema.js';
import { literalRule, variableCheck } from '../../src/graphql/input-values.js';

/** The contract's types, and other types that a later contract may have. */
const schema: GraphQLSchema = buildSchema(`${sdl}
  enum Colour { red green }
  input Odd {
    id: ID  ids: [ID!]  colour: Colour  colours: [Colour!] = [red]  flag: Boolean!  count: Int! = 3
    rows: [[Float!]]  inner: Odd  more: [Odd!] @size(min: 1, max: 2)
  }
  extend type Query { odd(of: Odd, list: [[Odd]], colour: Colour! = red): Int }
`);

const types = [
  ...['CreateOrderInput!', 'LoginInput', '[PackageInput!]!', 'Odd!', '[Odd!]', '[[Int]!]', 'ID', 'Colour!', 'Float'],
];

const typed = (text: string): GraphQLInputType => {
  const type = typeFromAST(schema, parseType(text));
  if (!type || !('name' in type || 'ofType' in type)) throw new Error(`there is no type ${text}`);
  return type as GraphQLInputType;
};

const leaf = fc.constantFrom<unknown>(
  ...[null, true, false, 0, -0, 1, -1, 1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308],
  ...['', '1', 'red', 'blue', 'true', 'constructor', '__proto__', '\0'],
);
const anything = fc.oneof(
  { weight: 4, arbitrary: leaf },
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('id', 'flag', 'toString', 'constructor', 'x', 'inner'), leaf, { maxKeys: 3 }),
);
const right: Readonly<Record<string, unknown>> = { Int: 7, Float: 0.5, String: 'text', ID: 'id', Boolean: true };

/** Random values for a type: some right, some wrong in one or two places, some of any kind. */
const valuesOf = (type: string): fc.Arbitrary<unknown> =>
  fc.oneof(someOf(typed(type), 0, 0), someOf(typed(type), 0, 1), anything);

function someOf(type: GraphQLInputType, depth: number, wrong: number): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: rightOf(type, depth, wrong) }, { weight: wrong, arbitrary: anything });
}

function rightOf(type: GraphQLInputType, depth: number, wrong: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return rightOf(type.ofType, depth, wrong);
  if (isListType(type)) {
    const item = someOf(type.ofType, depth + 1, wrong);
    return fc.oneof(fc.array(item, { maxLength: depth > 2 ? 1 : 2 }), item);
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (!isInputObjectType(type)) return fc.constant(right[type.name]);
  const fields = Object.values(type.getFields()).filter(({ type: inner }) => depth < 2 || isNonNullType(inner));
  const parts = fields.map(({ name, type: inner }) => {
    const present = someOf(inner, depth + 1, wrong).map((value): [string, unknown][] => [[name, value]]);
    const absent = { weight: isNonNullType(inner) ? wrong : 6, arbitrary: fc.constant([]) };
    return fc.oneof({ weight: 12, arbitrary: present }, absent);
  });
  const more = fc.constantFrom<[string, unknown][]>([['colour', 1]], [['other', {}]]);
  const extra = fc.oneof({ weight: 12, arbitrary: fc.constant([]) }, { weight: wrong, arbitrary: more });
  return fc.tuple(extra, ...parts).map((all) => Object.fromEntries(all.flat()));
}

const check = variableCheck(schema);

/** An operation with one variable `v` of the type. */
function operationOf(type: string): OperationDefinitionNode {
  const [operation] = parse(`query ($v: ${type}) { __typename }`).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('there is no operation');
  return operation;
}

describe('the check of variables', () => {
  /** The errors of graphql-js itself for the same variables. */
  function complaintsOf(document: DocumentNode, variables: Record<string, unknown>): readonly GraphQLError[] {
    const result = execute({ schema, document, variableValues: variables });
    return 'then' in result ? [] : (result.errors ?? []).filter(({ path }) => path === undefined);
  }

  test.each(types)('agrees with graphql-js about %s', (type) => {
    const operation = operationOf(type);
    const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] };
    const verdicts = { right: 0, wrong: 0 };
    const judge = (variables: Record<string, unknown>) => {
      const isWrong = complaintsOf(document, variables).length > 0;
      verdicts[isWrong ? 'wrong' : 'right'] += 1;
      if ((check(operation, variables) !== undefined) !== isWrong) expect({ variables }).toEqual({ isWrong });
    };
    judge({});
    fc.assert(
      fc.property(valuesOf(type), (v) => judge({ v })),
      { numRuns: 200 },
    );
    expect([verdicts.right > 5, verdicts.wrong > 5]).toEqual([true, true]);
  });
});

describe('the check of literals', () => {
  const standard = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);

  const bare = new Set(['blue', 'true']);
  for (const type of Object.values(schema.getTypeMap()))
    if (isEnumType(type)) for (const { name } of type.getValues()) bare.add(name);

  /** As a literal; names where an enum has them. */
  function literal(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(literal).join(' ')}]`;
    if (typeof value === 'string') return bare.has(value) ? value : JSON.stringify(value);
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value);
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${literal(inner)}`)
      .join(' ')}}`;
  }

  const places: [type: string, document: (text: string) => string][] = [
    ['CreateOrderInput!', (text) => `{ estimateOrder(input: ${text}) { success } }`],
    ['Odd', (text) => `{ odd(of: ${text}) }`],
    ['[[Odd]]', (text) => `{ odd(list: ${text}) }`],
    ['[[Odd]]', (text) => `query ($v: [[Odd]] = ${text}) { odd(list: $v) }`],
    ['Colour!', (text) => `{ odd(colour: ${text}) }`],
    ['Boolean!', (text) => `{ __typename @include(if: ${text}) }`],
    ['Int!', (text) => `{ orders(first: ${text}) { edges { cursor } } }`],
  ];

  test.each(places)('agrees with graphql-js about %s', (type, write) => {
    const verdicts = { right: 0, wrong: 0 };
    const judge = (value: unknown) => {
      const document = parse(write(literal(value)));
      const isWrong = validate(schema, document).length > 0;
      verdicts[isWrong ? 'wrong' : 'right'] += 1;
      const own = validate(schema, document, [...standard, literalRule(schema)]);
      if (own.length > 0 !== isWrong) expect(print(document)).toEqual({ isWrong });
    };
    fc.assert(fc.property(valuesOf(type), judge), { numRuns: 200 });
    expect([verdicts.right > 5, verdicts.wrong > 5]).toEqual([true, true]);
  });
});

describe('the field errors', () => {
  const errorsOf = (variables: object, type = 'CreateOrderInput!') =>
    check(operationOf(type), { ...variables })?.extensions['errors'];

  test('name the variable if it holds no input object', () => {
    expect(errorsOf({ v: 5 })).toEqual([{ field: 'v', code: 'type', message: 'must be an object' }]);
    expect(errorsOf({})).toEqual([{ field: 'v', code: 'required', message: 'is required' }]);
    expect(errorsOf({ v: [{}, 1] }, '[LoginInput!]')).toEqual([
      { field: 'v.0.email', code: 'required', message: 'is required' },
      { field: 'v.0.password', code: 'required', message: 'is required' },
      { field: 'v.1', code: 'type', message: 'must be an object' },
    ]);
  });

  test('leave out the items of a list of the wrong size, and the bounds of values, which the resolver checks', () => {
    const v = { paymentMethod: 1, pickups: [], packages: Array.from({ length: 101 }, () => 0) };
    expect(errorsOf({ v })).toEqual([{ field: 'packages', code: 'too_many', message: 'must have at most 100 items' }]);
    expect(
      errorsOf({ v: { flag: true, more: [{ flag: true }, { flag: true }, { flag: false }] } }, 'Odd'),
    ).toBeUndefined();
  });
});
