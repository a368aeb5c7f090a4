import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Client, type GraphqlService, startGraphql } from '../graphql/client.js';
import { document } from './documents.js';
import { exchange } from './exchange.js';
import { timeLimit, tryAll } from './runs.js';
import { odd } from './values.js';

let service: GraphqlService;
let client: Client;

beforeAll(async () => {
  service = await startGraphql({ RATE_LIMIT_PUBLIC_PER_HOUR: '0', RATE_LIMIT_ACCOUNT_PER_HOUR: '0' });
  client = await service.client();
}, 60_000);
afterAll(() => service.stop());

const STATUSES = [200, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429];

const body = fc.oneof(
  { weight: 12, arbitrary: document.map((query): unknown => ({ query })) },
  {
    weight: 1,
    arbitrary: fc.record(
      { query: document, variables: odd, operationName: odd, extensions: odd },
      { requiredKeys: ['query'] },
    ),
  },
  { weight: 1, arbitrary: odd },
);
const accept = fc.constantFrom(
  '*/*',
  '*/*',
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'text/html',
);
const credentials = fc.constantFrom('key', 'key', 'key', 'key', 'key', 'none', 'wrong');

function authorization(who: string): Record<string, string> {
  if (who === 'none') return {};
  return { Authorization: `ApiKey ${client.caller.email}:${who === 'key' ? client.apiKey : 'wrong'}` };
}

interface Said {
  data?: unknown;
  error?: { code: string };
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Nothing but results and errors that have a code, none of them ours. */
function faultsOf(status: number, { data, error, errors }: Said): string[] {
  const codes = [...(errors ?? []).map(({ extensions }) => extensions?.code), ...(error ? [error.code] : [])];
  return [
    ...(STATUSES.includes(status) ? [] : [`it answers ${status}`]),
    ...(data === undefined && codes.length === 0 ? ['there is neither data nor an error'] : []),
    ...codes
      .filter((code) => code === undefined || /^(INTERNAL|UNAVAILABLE)/.test(code))
      .map((code) => `the code is ${code}`),
  ];
}

test(
  'B answers whatever is sent with a result or an error, and never with a 5xx',
  async () => {
    const kinds = new Map<string, number>();
    await tryAll('B', fc.tuple(body, accept, credentials), async ([sent, accepted, who]) => {
      const headers = { 'Content-Type': 'application/json', Accept: accepted, ...authorization(who) };
      const text = JSON.stringify(sent);
      const answer = await exchange(service.url, { method: 'POST', target: '/graphql', headers, body: text });
      const said: Said = JSON.parse(answer.text);
      const kind = `${answer.status} ${said.error?.code ?? said.errors?.[0]?.extensions?.code ?? 'data'}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const faults = faultsOf(answer.status, said);
      if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${text}\n${answer.text}`);
    });
    process.stdout.write(
      `B: ${[...kinds]
        .sort()
        .map(([kind, count]) => `${kind}: ${count}`)
        .join(', ')}\n`,
    );
    expect(kinds.get('200 data')).toBeGreaterThan(0);
  },
  timeLimit,
);
