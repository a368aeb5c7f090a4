import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildClientSchema, buildSchema, getIntrospectionQuery, printSchema } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { createDocuments } from '../../src/graphql/documents.js';
import { attacks } from './attacks.js';
import { type GraphqlService, startGraphql } from './client.js';

describe('what a document may hold', () => {
  let service: GraphqlService;

  beforeAll(async () => {
    service = await startGraphql();
  });
  afterAll(() => service.stop());

  test.each(attacks)('%s: refused, and the service lives', async (_, query, message) => {
    const { status, data, errors } = await service.nobody.send(query);
    expect(status).toBe(200);
    expect(data).toBeUndefined();
    expect(errors?.map((error) => error.message).join('\n')).toMatch(message);
    const modern = await service.nobody.send(query, { headers: { Accept: 'application/graphql-response+json' } });
    expect(modern.status).toBe(400);
    expect((await service.nobody.send('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  test('15 aliases', async () => {
    const fields = Array.from({ length: 15 }, (_, at) => `a${at}: __typename`).join(' ');
    expect((await service.nobody.send(`{ ${fields} }`)).errors).toBeUndefined();
  });

  test('the standard introspection query, with every option, which shows all of the contract', async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { data, errors } = await service.nobody.send(query);
    expect(errors).toBeUndefined();
    expect(printSchema(buildClientSchema(Object(data)))).toBe(printSchema(buildSchema(sdl)));
  });

  test('no batch', async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'The body must be one JSON object; batches are not supported.',
          extensions: { code: 'MALFORMED_REQUEST' },
        },
      ],
    });
  });
});

describe('what a refusal costs', () => {
  const prepare = createDocuments(buildSchema(sdl));

  /** Milliseconds of CPU, of the best of a few times: the machine does other things too. */
  function costOf(work: () => void): number {
    const costs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...costs);
  }

  // Some ten times what the most expensive takes; without their limit most take seconds.
  test.each(attacks)('%s: bounded', (_, query) => {
    expect(costOf(() => expect(prepare(query)).toHaveProperty('errors'))).toBeLessThanOrEqual(500);
  });
});

describe('the bounds', () => {
  const prepare = createDocuments(buildSchema('type Query { deeper: Query list(of: [Int]): Int }'));
  const problemsOf = (query: string) => {
    const prepared = prepare(query);
    return 'errors' in prepared ? prepared.errors.map(({ message }) => message) : [];
  };

  test('are 6 000 tokens', () => {
    // Nine tokens stand around the numbers.
    const tokens = (count: number) => `{ list(of: [${'1 '.repeat(count - 9)}]) }`;
    expect(problemsOf(tokens(6000))).toEqual([]);
    expect(problemsOf(tokens(6001))).toEqual([expect.stringContaining('6000 tokens')]);
  });

  test('are 12 levels of depth, those of fragments included', () => {
    const nested = (depth: number, leaf: string) => `${'deeper { '.repeat(depth)}${leaf}${' }'.repeat(depth)}`;
    expect(problemsOf(`{ ${nested(12, 'list')} }`)).toEqual([]);
    expect(problemsOf(`{ ${nested(13, 'list')} }`)).toEqual([
      expect.stringContaining('depth 13 exceeds maximum of 12'),
    ]);
    const split = (depth: number) =>
      `{ ${nested(6, '...rest')} } fragment rest on Query { ${nested(depth - 6, 'list')} }`;
    expect(problemsOf(split(12))).toEqual([]);
    expect(problemsOf(split(13))).toEqual([expect.stringContaining('depth 13 exceeds maximum of 12')]);
  });
});
