import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { sdl } from '../contract/contract-files.js';
import { CANARY } from './calls.js';
import { mixOf, odd } from './values.js';

/** GraphQL documents after the schema of the contract, right ones and others that are nearly right. */

const schema = buildSchema(sdl);

const usual = ['Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200', 'Ana Souza', '+55 11 98888-7777'];
const unusual = ['', '\ud800', '\u0000', '\u0001\u001f\u007f', '😀', `${CANARY}, São Paulo - SP`, 'x'.repeat(300)];

const quoted = (text: string): string => JSON.stringify(text);

/** Literals as people write them; strings, numbers and names where they belong, and where they do not. */
const scalars: Readonly<Record<string, fc.Arbitrary<string>>> = {
  String: fc.oneof(fc.constantFrom(...usual, ...unusual), fc.string({ unit: 'grapheme', maxLength: 30 })).map(quoted),
  ID: fc.oneof(fc.uuid({ version: 7 }), fc.string({ maxLength: 12 })).map(quoted),
  Int: mixOf(
    [20, fc.integer({ min: -2, max: 20 }).map(String)],
    [1, fc.constantFrom('2147483648', '99999999999999999999', '1.5', '1e3', '-0')],
  ),
  Float: fc.oneof(
    fc.integer({ min: 0, max: 120 }).map(String),
    fc.constantFrom('0.5', '1e400', '-1', '-0.0', '5e-324'),
  ),
  Boolean: fc.constantFrom('true', 'false'),
};

const anything = odd.map((value) => quoted(String(JSON.stringify(value)).toWellFormed()));
const wrong = fc.oneof(
  anything,
  fc.constantFrom('null', '$x', '[]', '{}', 'ENUM', `"${CANARY}"`, `["${CANARY}"]`, `"""${CANARY}"""`, '[[1]]'),
);

function literal(type: GraphQLInputType, depth: number): fc.Arbitrary<string> {
  return mixOf([40, rightLiteral(type, depth)], [1, wrong]);
}

function rightLiteral(type: GraphQLInputType, depth: number): fc.Arbitrary<string> {
  if (isNonNullType(type)) return literal(type.ofType, depth);
  if (isListType(type)) {
    return fc.array(literal(type.ofType, depth), { minLength: 1, maxLength: 2 }).map((all) => `[${all.join(', ')}]`);
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (!isInputObjectType(type)) return scalars[type.name] ?? wrong;
  return argumentsOf(Object.values(type.getFields()), depth + 1).map((text) => `{ ${text} }`);
}

interface Named {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/** `name: literal` for all that are required, and for some others. */
function argumentsOf(inputs: readonly Named[], depth: number): fc.Arbitrary<string> {
  const parts = inputs.map(({ name, type }) =>
    fc
      .option(literal(type, depth), { nil: undefined, freq: isNonNullType(type) ? 40 : 2 })
      .map((value) => value && `${name}: ${value}`),
  );
  return fc.tuple(...parts).map((all) => all.filter(Boolean).join(', '));
}

const callOf = ({ name, args }: { name: string; args: readonly GraphQLArgument[] }): fc.Arbitrary<string> =>
  args.length === 0 ? fc.constant(name) : argumentsOf(args, 0).map((text) => (text === '' ? name : `${name}(${text})`));

function fieldOf(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
  return fc.tuple(callOf(field), selectionOf(field.type, depth)).map(([call, selection]) => `${call}${selection}`);
}

function selectionOf(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isLeafType(named) || !isObjectType(named)) return fc.constant('');
  const fields = Object.values(named.getFields()).filter((field) => depth < 4 || isLeafType(getNamedType(field.type)));
  if (fields.length === 0) return fc.constant(' { __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(4, fields.length) })
    .chain((some) => fc.tuple(...some.map((field) => fieldOf(field, depth + 1))))
    .map((all) => ` { ${all.join(' ')} }`);
}

/** A character too many, too few or another one. */
const damage = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(3),
      fc.constantFrom('', '{', '}', '(', ')', '"', `"${CANARY}"`, '@skip(if: true)', '...F', '#', '\u0000', ':'),
    )
    .map(([at, gone, put]) => text.slice(0, at) + put + text.slice(at + gone));

const root = (type: 'query' | 'mutation') => {
  const object = type === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(object?.getFields() ?? {}).filter(({ name }) => name !== 'rotateApiKey');
  return fc
    .tuple(
      ...[fc.constantFrom(...fields), fc.constantFrom(...fields)].map((each) =>
        each.chain((field) => fieldOf(field, 0)),
      ),
    )
    .chain(([one, two]) =>
      fc.constantFrom(
        `${type} { ${one} }`,
        `${type} { a: ${one} b: ${two} }`,
        `${type} Q { ${one} ...F } fragment F on ${object?.name} { ${two} }`,
      ),
    );
};

/** A document of one operation. */
export const document: fc.Arbitrary<string> = fc
  .oneof(root('query'), root('mutation'))
  .chain((text) => mixOf([6, fc.constant(text)], [1, damage(text)]));
