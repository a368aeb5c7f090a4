import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { unavailable } from '../../src/base/errors.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { reportErrors } from '../../src/graphql/errors.js';
import { type Answer, ask } from '../support/http.js';
import { ownService } from '../support/services.js';

/** Every interface logs a failure in the same way. */

const lines: Record<string, unknown>[] = [];
const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) } });

const service = await ownService({}, { worker: false, log });

beforeAll(() => service.app.db.destroy());
beforeEach(() => void lines.splice(0));

const graphql = (query: string, headers = {}) => ask(service.url, 'POST', '/graphql', { body: { query }, headers });
const LOGIN = 'mutation { login(input: { email: "a@malote.test", password: "wrong" }) { user { email } } }';

const requests: readonly [what: string, send: () => Promise<Answer>][] = [
  ['REST', () => ask(service.url, 'GET', '/health')],
  ['GraphQL, in a resolver', () => graphql(LOGIN)],
  ['GraphQL, before any resolver', () => graphql('{ me { pk } }', { Authorization: 'ApiKey a@malote.test:key' })],
];

test.each(requests)('a dead database is logged as one warning without a stack: %s', async (_what, send) => {
  const { status, headers } = await send();
  expect(status).toBe(503);
  const reason = 'driver has already been destroyed';
  const requestId = headers.get('x-request-id');
  expect(lines).toMatchObject([{ level: 'warn', msg: 'http.unavailable', reason, requestId }]);
  expect(lines[0]).not.toHaveProperty('err');
});

test('unavailable fields of one GraphQL result are one warning, and other failures are a line each', () => {
  const gone = () => unavailable(new Error('gone'));
  const thrown = [gone(), new TypeError('a'), gone(), new TypeError('b')];
  const errors = thrown.map(
    (originalError, index) => new GraphQLError('failed', { originalError, path: [`field${index}`] }),
  );
  const codes = reportErrors(errors, log, { requestId: 'one' }).map(({ code }) => code);
  expect(codes).toEqual(['UNAVAILABLE', 'INTERNAL_ERROR', 'UNAVAILABLE', 'INTERNAL_ERROR']);
  const stack = { err: expect.objectContaining({ type: 'TypeError', stack: expect.any(String) }) };
  expect(lines).toMatchObject([{ level: 'warn', reason: 'gone' }, stack, stack]);
});
