import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { sdl } from '../../generated/schema.js';
import { validator } from '../../src/graphql/documents.js';
import { createPrograms, MAX_BYTES, TIMES } from '../../src/graphql/programs.js';

const schema = buildSchema(sdl);
const query = schema.getQueryType();
if (!query) throw new Error('the contract has no queries');

/** Root fields that need no arguments. */
const roots = Object.values(query.getFields()).flatMap(({ name, type, args }) => {
  const named = getNamedType(type);
  return isObjectType(named) && args.every((each) => !isRequiredArgument(each)) ? [[name, named] as const] : [];
});

/** Gives the next number of a list, reduced to less than `below`. After the end of the list it gives zeros. */
type Choose = (below: number) => number;

const chooser = (numbers: readonly number[]): Choose => {
  let at = 0;
  return (below) => (numbers[at++] ?? 0) % below;
};

const MAX_NESTED = 5;

/** A random selection of fields. Some stand twice, under an alias, or in a fragment. */
function selectionOf(type: GraphQLObjectType, choose: Choose, depth = 0): string {
  const fields = Object.values(type.getFields()).filter(
    ({ type: of, args }) =>
      args.every((each) => !isRequiredArgument(each)) && (depth < MAX_NESTED || !isObjectType(getNamedType(of))),
  );
  const parts = fields.flatMap(({ name, type: of }) => {
    const named = getNamedType(of);
    const below = isObjectType(named) ? ` ${selectionOf(named, choose, depth + 1)}` : '';
    switch (choose(6)) {
      case 0:
        return [];
      case 1:
        return `other${choose(2)}_${name}: ${name}${below}`;
      case 2:
        return `... on ${type.name} { ${name}${below} }`;
      case 3:
        return [`${name}${below}`, `${name}${below}`];
      case 4:
        return `... { ${name}${below} __typename }`;
      default:
        return `${name}${below}`;
    }
  });
  return `{ ${parts.join(' ') || '__typename'} }`;
}

/** A random value of the type. It may be null where the type allows null, and rarely is where it does not. */
function sampleOf(type: GraphQLOutputType, choose: Choose, depth = 0): unknown {
  if (isNonNullType(type)) return choose(40) === 1 ? null : sampleOf(type.ofType, choose, depth);
  if (choose(5) === 1) return null;
  if (isListType(type)) return Array.from({ length: choose(3) }, () => sampleOf(type.ofType, choose, depth));
  if (isEnumType(type)) return choose(30) === 1 ? 'of no such value' : type.getValues()[0]?.value;
  if (!isObjectType(type)) return { Int: 7, Float: 1.5, Boolean: true }[type.name] ?? 'text';
  if (depth > MAX_NESTED + 2) return {};
  return Object.fromEntries(
    Object.values(type.getFields()).map((field) => [field.name, sampleOf(field.type, choose, depth + 1)]),
  );
}

/** For a missing value, the message of graphql-jit names all merged fields. Only the log shows this message. */
const oneName = (message: string) => message.replace(/\((\w+),[\w,]+\)/, '$1');

const told = ({ data, errors = [] }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: errors.map(({ message, path }) => `${path?.join('.')}: ${oneName(message)}`),
});

describe('a document that comes again', () => {
  test('is answered as by graphql-js, in 300 documents with fields, aliases and fragments', async () => {
    const problemsIn = validator(schema);
    let answered = 0;
    const numbers = fc.array(fc.nat(1_000), { minLength: 300, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(numbers, numbers, async (ofText, ofValue) => {
        const choose = chooser(ofText);
        const [name, type] = roots[choose(roots.length)] ?? [];
        if (!name || !type) return;
        const text = `{ ${name} ${selectionOf(type, choose)} }`;
        const document = parse(text, { noLocation: true });
        if (text.length > 4_000 || problemsIn(document).length > 0) return;
        const rootValue = sampleOf(query, chooser(ofValue)) ?? {};
        const programs = createPrograms(schema);
        for (let time = 1; time < TIMES; time += 1) programs.note(text, document);
        expect(programs.known(text)).toBeUndefined();
        programs.note(text, document);
        expect(programs.known(text)).toBe(document);
        const args = { schema, document, rootValue };
        answered += 1;
        const [actual, expected] = [told(await programs.execute(args)), told(await execute(args))];
        expect(actual.data).toBe(expected.data);
        // graphql-jit may also report errors of fields in an object that another error has made null.
        expect(actual.errors).toEqual(expect.arrayContaining(expected.errors));
        expect(actual.errors.length > 0).toBe(expected.errors.length > 0);
      }),
      { numRuns: 300 },
    );
    expect(answered).toBeGreaterThan(100);
  });

  test.each([
    ['has a directive, whose fragments graphql-jit mixes up', '{ me { email @skip(if: true) name } }'],
    ['names a field that no object can have', '{ __proto__: me { email } }'],
    ['has several operations', 'query A { me { email } } query B { me { name } }'],
    ['has several fields', '{ me { email } paymentMethods { id } }'],
    ['gives a variable a default', 'query ($first: Int = 5) { orders(first: $first) { edges { cursor } } }'],
    ['is long', `{ me { ${Array.from({ length: 400 }, (_, at) => `a${at}: email`).join(' ')} } }`],
  ])('is left to graphql-js when it %s', (_, text) => {
    const programs = createPrograms(schema);
    const document = parse(text, { noLocation: true });
    for (let time = 0; time <= TIMES; time += 1) programs.note(text, document);
    expect(programs.known(text)).toBeUndefined();
  });

  const noted = (programs: ReturnType<typeof createPrograms>, text: string, times: number) => {
    const document = parse(text, { noLocation: true });
    for (let time = 0; time < times; time += 1) programs.note(text, document);
  };

  test('is not compiled before it has come often enough, even if there are many', () => {
    const programs = createPrograms(schema);
    for (let at = 0; at < 500; at += 1) noted(programs, `{ me { a${at}: email } }`, TIMES - 1);
    expect(programs.bytes()).toBe(0);
  });

  test('is dropped when compiled documents reach their limit of bytes, unless it is in use', () => {
    const programs = createPrograms(schema);
    const inUse = '{ me { email } }';
    noted(programs, inUse, TIMES);
    const fields = Array.from({ length: 400 }, (_, at) => ['email', 'name', 'id'][at % 3]).join(' ');
    let most = 0;
    for (let at = 0; at < 200; at += 1) {
      noted(programs, `{ me { a${at}: email ${fields} } }`, TIMES);
      most = Math.max(most, programs.bytes());
      expect(programs.known(inUse)).toBeDefined();
    }
    expect(most).toBeGreaterThan(MAX_BYTES / 2);
    expect(most).toBeLessThanOrEqual(MAX_BYTES);
    expect(programs.known(`{ me { a0: email ${fields} } }`)).toBeUndefined();
  });
});
