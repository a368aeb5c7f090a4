import { describe, expect, test } from '@jest/globals';
import { buildClientSchema, buildSchema, getIntrospectionQuery, parse, printSchema, validate } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { createDocuments } from '../../src/graphql/documents.js';
import { timesTheCost } from '../support/cost.js';
import { ask } from '../support/http.js';
import { attacks } from './attacks.js';
import { startGraphql } from './client.js';

/** https://spec.graphql.org/September2025/#DirectiveLocation */
const LOCATIONS = new Set(
  (
    'QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA ' +
    'SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT INPUT_FIELD_DEFINITION'
  ).split(' '),
);

const service = await startGraphql();
// A client with credentials, because a body without them has at most 64 KiB.
const client = await service.client();

describe('a document', () => {
  test.each(attacks)('is refused, and the service still answers: %s', async (_, query, message) => {
    const { status, data, errors } = await client.send(query);
    expect([status, data]).toEqual([200, undefined]);
    expect(errors?.map((error) => error.message).join('\n')).toMatch(message);
    const modern = await client.send(query, { headers: { Accept: 'application/graphql-response+json' } });
    expect(modern.status).toBe(400);
    expect((await service.nobody.send('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  test('may have 15 aliases', async () => {
    const fields = Array.from({ length: 15 }, (_, at) => `a${at}: __typename`).join(' ');
    expect((await service.nobody.send(`{ ${fields} }`)).errors).toBeUndefined();
  });

  test('may be the standard introspection query with every option, which shows the whole contract', async () => {
    const more = { directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true, oneOf: true };
    const query = getIntrospectionQuery({ descriptions: true, specifiedByUrl: true, ...more });
    const { data, errors } = await service.nobody.send(query);
    expect(errors).toBeUndefined();
    expect(printSchema(buildClientSchema(Object(data)))).toBe(printSchema(buildSchema(sdl)));
  });

  test('reads by introspection only directive locations of the specification, because clients refuse others', async () => {
    const { data } = await service.nobody.send('{ __schema { directives { locations } } }');
    const named = (Object(data).__schema.directives as { locations: string[] }[]).flatMap(({ locations }) => locations);
    expect(named.filter((location) => !LOCATIONS.has(location))).toEqual([]);
  });

  test('is refused in a batch', async () => {
    const query = '{ __typename }';
    const { status, text } = await ask(service.url, 'POST', '/graphql', { body: [{ query }, { query }] });
    const message = 'The body must be one JSON object; batches are not supported.';
    const errors = [{ message, extensions: { code: 'MALFORMED_REQUEST', reason: 'body_malformed' } }];
    expect([status, JSON.parse(text)]).toEqual([400, { errors }]);
  });
});

describe('the cost of a refusal', () => {
  const schema = buildSchema(sdl);
  const prepare = createDocuments(schema);

  /** The work of graphql-js for five documents that anybody may send. */
  const usual = () => {
    for (let time = 0; time < 5; time += 1) validate(schema, parse(getIntrospectionQuery()));
  };

  // The most expensive refusal costs eight times the usual work. Without the limits, most cost 400 times.
  test.each(attacks)('is bounded: %s', async (_, query) => {
    const refuse = () => expect(prepare(query)).toHaveProperty('errors');
    expect(await timesTheCost(refuse, usual, 60)).toBeLessThanOrEqual(60);
  });
});

describe('the limits of a document', () => {
  const prepare = createDocuments(buildSchema('type Query { deeper: Query list(of: [Int]): Int }'));
  const problemsOf = (query: string) => {
    const prepared = prepare(query);
    return 'errors' in prepared ? prepared.errors.map(({ message }) => message) : [];
  };

  test('are 6 000 tokens', () => {
    // The document has nine more tokens around the numbers.
    const tokens = (count: number) => `{ list(of: [${'1 '.repeat(count - 9)}]) }`;
    expect(problemsOf(tokens(6000))).toEqual([]);
    expect(problemsOf(tokens(6001))).toEqual([expect.stringContaining('6000 tokens')]);
  });

  test('are 12 levels of depth, including those of fragments', () => {
    const nested = (depth: number, leaf: string) => `${'deeper { '.repeat(depth)}${leaf}${' }'.repeat(depth)}`;
    expect(problemsOf(`{ ${nested(12, 'list')} }`)).toEqual([]);
    const tooDeep = [expect.stringContaining('depth 13 exceeds maximum of 12')];
    expect(problemsOf(`{ ${nested(13, 'list')} }`)).toEqual(tooDeep);
    const split = (depth: number) =>
      `{ ${nested(6, '...rest')} } fragment rest on Query { ${nested(depth - 6, 'list')} }`;
    expect(problemsOf(split(12))).toEqual([]);
    expect(problemsOf(split(13))).toEqual(tooDeep);
  });
});
