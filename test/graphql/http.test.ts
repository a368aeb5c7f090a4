import { describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { startGraphql } from './client.js';

const service = await startGraphql();
const url = `${service.url}/graphql`;

const json = { 'Content-Type': 'application/json' };
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  fetch(url, { method: 'POST', body, headers });

describe('the GraphQL over HTTP specification', () => {
  // The specification leaves operations by GET to the server. Only audits of such operations are left out.
  const audits = serverAudits({ url: () => url }).filter(({ name }) => !/GET/.test(name) || name.startsWith('MAY NOT'));

  test('has audits for all of its demands', () => {
    expect(audits.filter(({ name }) => name.startsWith('MUST')).length).toBeGreaterThan(10);
    expect(serverAudits({ url }).filter(({ name }) => /^(MUST|SHOULD)/.test(name) && /GET/.test(name))).toEqual([]);
  });

  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_, audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' });
  });
});

describe('a body', () => {
  const right = '{"query":"{ __typename }"}';
  const notUtf8 = Uint8Array.from([...Buffer.from('{"query":"{ __typename #'), 0xff, 0x22, 0x7d]);
  const latin1 = { 'Content-Type': 'application/json; charset=latin1' };
  const nested = '['.repeat(20_000) + ']'.repeat(20_000);

  test.each<[string, number, string, string | Uint8Array<ArrayBuffer>, Record<string, string>?]>([
    ['that is not JSON', 400, 'MALFORMED_REQUEST', '{"query": "{ __typename }"'],
    ['that is empty', 400, 'VALIDATION_ERROR', ''],
    ['that is a JSON string', 400, 'MALFORMED_REQUEST', '"{ __typename }"'],
    ['that is null', 400, 'MALFORMED_REQUEST', 'null'],
    ['without query', 400, 'VALIDATION_ERROR', '{"operationName":"A"}'],
    ['that is not UTF-8', 400, 'MALFORMED_REQUEST', notUtf8],
    ['with __proto__', 400, 'VALIDATION_ERROR', '{"query":"{ __typename }","variables":{"__proto__":{"a":1}}}'],
    ['nested deeply', 400, 'MALFORMED_REQUEST', `{"query":"{ __typename }","variables":{"a":${nested}}}`],
    ['larger than the limit', 413, 'PAYLOAD_TOO_LARGE', JSON.stringify({ query: 'x'.repeat(2_000_000) })],
    ['of another type', 415, 'UNSUPPORTED_MEDIA_TYPE', '{ __typename }', { 'Content-Type': 'application/graphql' }],
    ['in another encoding', 415, 'UNSUPPORTED_MEDIA_TYPE', right, latin1],
    ['whose answer the client does not accept', 406, 'NOT_ACCEPTABLE', right, { ...json, Accept: 'text/csv' }],
  ])('%s is answered %d %s', async (_, status, code, body, headers = json) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const answer = JSON.parse(await response.text());
    expect(answer).toMatchObject({ errors: [{ message: expect.any(String), extensions: { code } }] });
    expect(answer).not.toHaveProperty('data');
  });

  test('with a document that cannot be parsed is answered 200 or 400, depending on the accepted type', async () => {
    const body = JSON.stringify({ query: 'query {' });
    expect((await post(body)).status).toBe(200);
    const response = await post(body, { ...json, Accept: 'application/graphql-response+json' });
    const errors = [{ extensions: { code: 'MALFORMED_REQUEST' }, locations: [{ line: 1, column: 8 }] }];
    expect([response.status, await response.json()]).toMatchObject([400, { errors }]);
  });
});

describe('operationName', () => {
  const query = 'query A { __typename } mutation B { rotateApiKey { apiKey } }';

  test('chooses the operation that runs', async () => {
    const { data } = await service.nobody.send(query, { operationName: 'A' });
    expect(data).toEqual({ __typename: 'Query' });
  });

  test.each([[{}], [{ operationName: 'C' }]])('must name an operation of the document: %j', async (options) => {
    const { data, errors } = await service.nobody.send(query, options);
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([undefined, ['VALIDATION_ERROR']]);
  });

  test('does not let a subscription through: the schema has no subscriptions', async () => {
    const { data, errors } = await service.nobody.send('subscription { __typename }');
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
  });
});

describe('other methods', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('%s is answered 405', async (method) => {
    const response = await fetch(`${url}?query={__typename}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('OPTIONS names the allowed methods', async () => {
    const response = await fetch(url, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, POST, OPTIONS']);
  });

  test('other paths do not belong to this interface', async () => {
    for (const path of ['/graphql/', '/GraphQL', '/graphql/x'])
      expect((await fetch(service.url + path, { method: 'POST', body: '{}', headers: json })).status).toBe(404);
  });

  test('a browser gets GraphiQL, on one page that loads nothing from elsewhere', async () => {
    const response = await fetch(url, { headers: { Accept: 'text/html,application/xhtml+xml' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const page = await response.text();
    expect(page).toContain('<title>Malote GraphQL</title>');
    expect(page).toContain('every operation from this page then carries your API key');
    expect(page).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
  });
});
