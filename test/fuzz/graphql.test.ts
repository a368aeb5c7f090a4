import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSchema, executeSync, type GraphQLFieldResolver, parse } from 'graphql';
import { isNode, sdl } from '../contract/contract-files.js';
import { startGraphql } from '../graphql/client.js';
import { CANARY, type Call, callOf } from './calls.js';
import { exchange } from './exchange.js';
import { timeLimit, tryAll } from './runs.js';
import { odd } from './values.js';

const service = await startGraphql({ RATE_LIMIT_PUBLIC_PER_HOUR: '0', RATE_LIMIT_ACCOUNT_PER_HOUR: '0' });
const client = await service.client();

const statuses = [200, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429];

const others = ['application/json', 'application/graphql-response+json', 'text/html'];
const accept = fc.constantFrom('*/*', '*/*', '*/*', ...others);
const credentials = fc.constantFrom('key', 'key', 'key', 'key', 'key', 'none', 'wrong');

function authorization(who: string): Record<string, string> {
  if (who === 'none') return {};
  return { Authorization: `ApiKey ${client.caller.email}:${who === 'key' ? client.apiKey : 'wrong'}` };
}

interface Said {
  data?: Record<string, unknown> | null;
  error?: { code: string };
  errors?: { message: string; extensions?: { code?: string } }[];
}

const MAX_REFUSAL = 65_536;

/** Faults of any answer: a failure of ours, a refusal that is large or repeats the request. */
function faultsOf(status: number, text: string): string[] {
  const { data, error, errors }: Said = JSON.parse(text);
  const codes = [...(errors ?? []).map(({ extensions }) => extensions?.code), ...(error ? [error.code] : [])];
  const isRefusal = data === undefined || data === null;
  const refused = Object.values(data ?? {}).map((result) => (isNode(result) ? result['errors'] : undefined));
  return [
    ...(statuses.includes(status) ? [] : [`it answers ${status}`]),
    ...(data === undefined && codes.length === 0 ? ['there is neither data nor an error'] : []),
    ...codes
      .filter((code) => code === undefined || /^(INTERNAL|UNAVAILABLE)/.test(code))
      .map((code) => `the code is ${code}`),
    ...(isRefusal && text.length > MAX_REFUSAL ? [`the refusal has ${text.length} characters`] : []),
    ...(JSON.stringify([errors, refused]).includes(CANARY) ? ['an error repeats what was sent'] : []),
  ];
}

const isCall = (body: unknown): body is Call =>
  typeof body === 'object' && body !== null && 'query' in body && typeof body.query === 'string';

const schema = buildSchema(sdl);

/** The value that was answered for a field, by the name that the document gives it. */
const answeredFor: GraphQLFieldResolver<Record<string, unknown>, unknown> = (parent, _, __, { path }) => {
  if (!(path.key in parent)) throw new Error('it is missing');
  return parent[path.key];
};

/** Faults of the data that answers a document, which the contract's own types would not have made of it. */
function misfitsIn({ query, variables }: Call, data: unknown): string[] {
  const variableValues = isNode(variables) ? variables : {};
  const ask = { schema, document: parse(query), rootValue: data, variableValues, fieldResolver: answeredFor };
  const { data: expected, errors = [] } = executeSync(ask);
  const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(expected ?? null)), data);
  return [...errors.map(({ message, path }) => `${path?.join('.')}: ${message}`), ...(isSame ? [] : ['other data'])];
}

type Sent = [body: unknown, accept: string, who: string];

async function run(sent: fc.Arbitrary<Sent>): Promise<Map<string, number>> {
  const kinds = new Map<string, number>();
  await tryAll('B', sent, async ([body, accepted, who]) => {
    const headers = { 'Content-Type': 'application/json', Accept: accepted, ...authorization(who) };
    const bytes = JSON.stringify(body);
    const { status, text } = await exchange(service.url, { method: 'POST', target: '/graphql', headers, body: bytes });
    const said: Said = JSON.parse(text);
    const kind = `${status} ${said.error?.code ?? said.errors?.[0]?.extensions?.code ?? 'data'}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const misfits = said.data && isCall(body) ? misfitsIn(body, said.data) : [];
    const faults = [...faultsOf(status, text), ...misfits];
    if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${bytes.slice(0, 5000)}\n${text.slice(0, 5000)}`);
  });
  const counts = [...kinds].sort().map(([kind, count]) => `${kind}: ${count}`);
  process.stdout.write(`B: ${counts.join(', ')}\n`);
  return kinds;
}

test(
  'B answers whatever is sent with a result or an error, briefly, without repeating it, and never with a 5xx',
  async () => {
    const body = fc.oneof({ weight: 19, arbitrary: callOf(client.paymentMethod) }, { weight: 1, arbitrary: odd });
    const kinds = await run(fc.tuple(body, accept, credentials));
    expect(kinds.get('200 data')).toBeGreaterThan(0);
    expect(kinds.get('200 VALIDATION_ERROR')).toBeGreaterThan(0);
  },
  timeLimit,
);
