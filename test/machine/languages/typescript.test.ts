import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MaloteOptions } from '../../../clients/typescript/package/access.js';
import { at } from '../../operator/fixtures.js';
import { orderBody } from '../../support/bodies.js';
import { describeInBrowser } from '../../support/browser.js';
import { failureOf } from '../../support/database.js';
import { ownFolder } from '../../support/folder.js';
import { ask, must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { listening } from '../../support/port.js';
import { proxyTo } from '../../support/proxy.js';
import { waitFor } from '../../support/receiver.js';
import { operatorLogin } from '../../support/service.js';
import { ownService, trustedReceiver } from '../../support/services.js';
import { installed, listened, type Malote, programIn } from './typescript-project.js';

/** The TypeScript package from `npm run clients`, against the running service. */

const README = 'clients/typescript/README.md';
const basic = { username: 'malote', password: 's3cr3t-of-the-receiver' };

const directory = await ownFolder();
const { receiver, settings } = await trustedReceiver(basic);
const project = await installed();
const { client } = project;
const service = await ownService(settings, {});
const proxy = await proxyTo(service.url);
let ana = await service.customer({ email: 'ana@example.com' });
let endpoint: { id: string; secret: string };
beforeAll(async () => {
  const body = { user_id: ana.id, url: receiver.url, ...basic };
  const created = must(await service.operator.operator.POST('/operator/v1/webhook-endpoints', { body }));
  endpoint = { id: created.endpoint.id, secret: created.signing_secret };
});
afterAll(proxy.cut);

/** A client that records its requests. */
function counted(options: Partial<MaloteOptions> = {}): { malote: Malote; sent: string[] } {
  const sent: string[] = [];
  const counting: typeof fetch = (input, init) => {
    sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return fetch(input, init);
  };
  const login = { email: ana.email, password: PASSWORD };
  return { malote: new client.Malote({ baseUrl: service.url, ...login, fetch: counting, ...options }), sent };
}

async function refusal(call: PromiseLike<unknown>) {
  const error = await failureOf(Promise.resolve(call));
  if (!client.isMaloteError(error)) throw error ?? new Error('it was not refused');
  return error;
}

/** Runs a server with other answers than the service. Resolves to the result of `use` for its address. */
async function against<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  try {
    return await use(`http://127.0.0.1:${await listening(server)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('README.md of the package', () => {
  let receive: (request: Request) => Promise<Response>;
  let publicKey: string[];

  test('has programs that run against the service unchanged', async () => {
    const { api_key, secret } = must(await ana.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
    const here = (await programIn(README))
      .replaceAll('labels.pdf', join(directory, 'labels.pdf'))
      .replaceAll('https://malote.example', service.url)
      .replaceAll('mok_…', service.operator.token)
      .replaceAll('01930f74-…', api_key.id)
      .replaceAll('mak_…', secret)
      .replaceAll('whsec_…', endpoint.secret)
      .replaceAll('01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29', endpoint.id);
    const { result, printed } = await listened(() => project.load('readme', here));
    ({ receive, publicKey } = Object(result));
    expect(printed).toContain('pedido-1042 created');
    expect((await readFile(join(directory, 'labels.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    const { data } = must(await ana.rest.GET('/api/v1/orders', {}));
    expect(data.map(({ status }) => status).sort()).toEqual(['cancelled', 'created']);
  });

  test('has a receiver that accepts each delivery of the service once, and refuses changed ones', async () => {
    const [sent] = await receiver.until(1);
    if (!sent) throw new Error('nothing was sent');
    const headers = Object.entries(sent.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = (body: string) => new Request(receiver.url, { method: 'POST', headers, body });
    const requests = [request(`${sent.body}`), request(`${sent.body}`), request(`${sent.body} `)];
    const { result, printed } = await listened(() => Promise.all(requests.map(receive)));
    expect(result.map(({ status }) => status)).toEqual([200, 200, 401]);
    const { payload } = await client.verifyWebhook(sent.headers, sent.body, { publicKey, basic });
    expect(printed).toBe(
      payload.packages.map(({ trackingCode, status }) => `${trackingCode} ${status.code}`).join('\n'),
    );
  });
});

const using = (line: string): string => `
  import { isMaloteError, isRefusedFor, Malote, type Order, type OrderSummary, type TrackingPayload, verifyWebhook } from 'malote-client';
  import { MaloteOperator } from 'malote-client/operator';
  import { CreateOrderDocument, type CreateOrderInput } from 'malote-client/graphql';
  const malote = new Malote({ baseUrl: 'https://malote.example', email: 'ana@example.com', password: 'x' });
  const operator = new MaloteOperator({ baseUrl: 'https://malote.example', token: 'mok_' });
  export async function use(input: CreateOrderInput, error: unknown) { ${line} }`;

test('the types accept the programs of README.md and of the guide, what the contracts allow and nothing else', async () => {
  const programs = await Promise.all([README, 'contracts/guides/clients.md'].map(programIn));
  const right = [
    `const order: Order = await malote.orders.get('x'); const total: string = order.pricing.total;
     for await (const each of malote.orders.list({ status: 'created' })) { const one: OrderSummary = each; }
     const { data, response } = await malote.products.delete('x', { ifMatch: '"1"' }).withResponse();
     const label: Uint8Array = await malote.packages.getLabel('x', { format: 'zpl' });
     if (isMaloteError(error, 'CONFLICT')) { const code: 'CONFLICT' = error.code; }
     if (isRefusedFor(error, 'sku_taken')) { const reason: 'sku_taken' = error.reason; }
     const { orders } = await malote.graphql.createOrder({ input }); const pk: string | undefined = orders[0]?.pk;
     const { createOrder } = await malote.graphql.execute(CreateOrderDocument, { input });
     const { payload } = await verifyWebhook({}, '', { secret: 'whsec_' }); const body: TrackingPayload = payload;
     await operator.movements.record({ movements: [] });
     await operator.proofOfDelivery.putProofPhoto('x', new Blob([]));
     // A value that this release does not know.
     if (order.status === 'archived') return;`,
  ];
  const wrong = [
    `await malote.orders.create({ pickups: [], parcels: [] });`,
    `await malote.orders.get(1);`,
    `await malote.orders.list({ status: 'new' });`,
    `await malote.orders.list({}, { idempotencyKey: 'x' });`,
    `(await malote.orders.get('x')).total;`,
    `await malote.graphql.createOrder({ input: { ...input, pickups: undefined } });`,
    `new Malote({ url: 'https://malote.example' });`,
  ];
  const accepted = [...programs, ...right.map(using)];
  const found = project.complaints([...accepted, ...wrong.map(using)]);
  expect(found.slice(0, accepted.length)).toEqual(accepted.map(() => []));
  expect(found.slice(accepted.length).map(({ length }) => length)).toEqual(wrong.map(() => 1));
});

/** Ends every token of Ana, as a change of the password does. */
async function endTokens(): Promise<void> {
  const { email, token } = await service.signIn({ email: ana.email, password: PASSWORD });
  const proof = { current_password: operatorLogin.password };
  const body = { email, name: 'Ana Souza', phone: '+55 11 91234-5678', password: PASSWORD, ...proof };
  must(await service.operator.rest.PUT('/api/v1/users/{id}', { ...at(ana.id), body }));
  const isEnded = async () => (await ask(service.url, 'GET', '/api/v1/users/me', { token })).status === 401;
  await waitFor(isEnded, 'the end of the tokens');
  ana = await service.signIn({ email, password: PASSWORD });
}

describe('log-in', () => {
  const loginsIn = (sent: readonly string[]) => sent.filter((each) => each === 'POST /auth/login').length;

  test('is made once for calls at the same time, and once more when the token has ended', async () => {
    const { malote, sent } = counted();
    const calls = () => Promise.all([1, 2, 3].map(() => malote.users.getCurrent()));
    expect((await calls()).map(({ email }) => email)).toEqual(Array(3).fill(ana.email));
    expect(loginsIn(sent)).toBe(1);
    await endTokens();
    await calls();
    expect(loginsIn(sent)).toBe(2);
  });

  test('is made before a token ends', async () => {
    let logins = 0;
    const shortLived: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).endsWith('/auth/login')) return answer;
      logins += 1;
      return Response.json({ ...Object(await answer.json()), expires_in: 0.001 });
    };
    const { malote } = counted({ fetch: shortLived });
    await malote.users.getCurrent();
    await malote.users.getCurrent();
    expect(logins).toBe(2);
  });

  test('by an API key gets tokens without storing a password, for REST and GraphQL', async () => {
    const { api_key, secret } = must(await ana.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
    const byKey = { email: undefined, password: undefined, clientId: api_key.id, clientSecret: secret };
    const { malote, sent } = counted(byKey);
    expect(await malote.graphql.me()).toEqual(expect.objectContaining({ email: ana.email }));
    expect((await malote.users.getCurrent()).email).toBe(ana.email);
    expect(sent).toEqual(['POST /auth/token', 'GET /api/v1/users/me', 'POST /graphql', 'GET /api/v1/users/me']);
    const wrong = counted({ ...byKey, clientSecret: `${secret}a` });
    const { code, status, message } = await refusal(wrong.malote.users.getCurrent());
    expect([code, status, message]).toEqual(['UNAUTHENTICATED', 401, expect.stringContaining('no live API key')]);
    await ana.rest.DELETE('/api/v1/api-keys/{id}', { params: { path: { id: api_key.id } } });
    expect((await refusal(malote.users.getCurrent())).status).toBe(401);
  });

  test('throws when it fails, in the end with the time to wait', async () => {
    const { malote, sent } = counted({ email: 'nobody@example.com', password: 'wrong password' });
    const codes = new Set<string>();
    for (let tries = 0; tries < 11; tries += 1) {
      const { code, status, retryAfter } = await refusal(malote.users.getCurrent());
      codes.add(`${code} ${status} ${(retryAfter ?? 0) > 0}`);
    }
    expect([...codes]).toEqual(['UNAUTHENTICATED 401 false', 'RATE_LIMITED 429 true']);
    expect(loginsIn(sent)).toBe(11);
  });

  test('to GraphQL gets the API key, and a new one when it was replaced', async () => {
    const { malote, sent } = counted();
    expect(await malote.graphql.me()).toEqual(expect.objectContaining({ email: ana.email }));
    await malote.graphql.rotateApiKey();
    expect(await malote.graphql.me()).toEqual(expect.objectContaining({ email: ana.email }));
    // Log-in, two queries and a mutation, then one that was refused, another log-in, and the query again.
    expect(sent).toHaveLength(6);
  });
});

describe('requests', () => {
  test('are sent again when the answer is lost, and carried out once', async () => {
    const { malote, sent } = counted({ baseUrl: proxy.url });
    await malote.users.getCurrent();
    proxy.loseAnswersTo('POST /api/v1/orders');
    const order = malote.orders.create({ ...orderBody(), external_id: 'lost-answer' }).withResponse();
    await waitFor(() => proxy.lost() === 1, 'the answer to be lost');
    proxy.loseAnswersTo(undefined);
    const { data, response } = await order;
    expect([data.external_id, response.headers.get('idempotent-replayed')]).toEqual(['lost-answer', 'true']);
    expect(sent.filter((each) => each === 'POST /api/v1/orders')).toHaveLength(2);
    const params = { query: { external_id: 'lost-answer' } };
    expect(must(await ana.rest.GET('/api/v1/orders', { params })).pagination.total_items).toBe(1);
  });

  test('read lists to the end, page by page', async () => {
    const { malote, sent } = counted();
    const ids = [];
    for await (const { id } of malote.orders.list({ page_size: 2 })) ids.push(id);
    const { data } = must(await ana.rest.GET('/api/v1/orders', {}));
    expect(ids).toEqual(data.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(2);
    expect(sent.filter((each) => each === 'GET /api/v1/orders')).toHaveLength(Math.ceil(ids.length / 2));
    const keys = [];
    for await (const { pk } of malote.graphql.orders({ first: 2 })) keys.push(pk);
    expect(keys).toEqual(ids);
  });

  test('throw the error of the contract when they are refused', async () => {
    const { malote } = counted();
    const product = { sku: 'X', name: 'X', price: 'free', dimensions: { width: 1, height: 1, length: 1, weight: 1 } };
    const error = await refusal(malote.products.create(product));
    expect(error).toMatchObject({ name: 'MaloteError', status: 400, code: 'VALIDATION_ERROR' });
    expect(error.details.map(({ field }) => field)).toEqual(['price']);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(client.isMaloteError(error, 'CONFLICT')).toBe(false);
    expect((await refusal(malote.orders.get('00000000-0000-7000-8000-000000000000'))).code).toBe('NOT_FOUND');
    const empty = { paymentMethod: 1, pickups: [], packages: [] };
    const { success, errors } = await malote.graphql.createOrder({ input: empty });
    expect([success, errors.map(({ field }) => field)]).toEqual([false, ['pickups', 'packages']]);
    const malformed = await refusal(malote.graphql.createOrder({ input: { ...empty, paymentMethod: 'invoice' } }));
    expect(malformed).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'paymentMethod' }] });
  });

  test('wait as long as the service says, when that is short', async () => {
    const answers = [429, 503, 200];
    const slept: number[] = [];
    let last = performance.now();
    const user = await against(
      (_request, response) => {
        const status = answers.shift() ?? 500;
        slept.push(performance.now() - last);
        last = performance.now();
        response.writeHead(status, status === 429 ? { 'Retry-After': '1' } : {}).end('{"email":"ana@example.com"}');
      },
      (baseUrl) => counted({ baseUrl, token: 'given' }).malote.users.getCurrent(),
    );
    expect(user.email).toBe('ana@example.com');
    expect(slept[1]).toBeGreaterThan(990);
    expect(answers).toEqual([]);
  });

  test('end with an error that says what to do, and end when they are aborted', async () => {
    const listener: RequestListener = ({ url = '' }, response) => {
      if (url.endsWith('/me')) return;
      const wait = url.includes('products') ? { 'Retry-After': '3600' } : {};
      response.writeHead(url.includes('products') ? 429 : 502, wait).end('<html>');
    };
    await against(listener, async (baseUrl) => {
      const { malote, sent } = counted({ baseUrl, token: 'given', maxRetries: 1 });
      const put = { code: 'UNKNOWN', status: 429, retryAfter: 3600 };
      expect(await refusal(malote.products.delete('x'))).toMatchObject(put);
      expect(await refusal(malote.orders.get('x'))).toMatchObject({ code: 'UNKNOWN', status: 502 });
      expect(sent).toEqual(['DELETE /api/v1/products/x', 'GET /api/v1/orders/x', 'GET /api/v1/orders/x']);
      const late = malote.users.getCurrent({ timeoutMs: 50, maxRetries: 0 });
      await expect(late).rejects.toThrow(client.MaloteConnectionError);
      const reason = new Error('enough');
      const controller = new AbortController();
      const ended = malote.users.getCurrent({ signal: controller.signal });
      controller.abort(reason);
      await expect(ended).rejects.toBe(reason);
    });
  });

  test('never leave the path of their operation', () => {
    const { malote } = counted();
    for (const id of ['', '.', '..']) expect(() => malote.orders.get(id)).toThrow(TypeError);
  });
});

describeInBrowser('the package in a browser', (newPage) => {
  test('works in a page of the same origin', async () => {
    const page = await newPage();
    await page.route('**/page/**', async (route) => {
      const name = new URL(route.request().url()).pathname.replace('/page/', '');
      if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' });
      return route.fulfill({ path: join(project.folder, 'node_modules/malote-client', name) });
    });
    await page.goto(`${service.url}/page/`);
    const login = JSON.stringify({ baseUrl: service.url, email: ana.email, password: PASSWORD });
    const seen = await page.evaluate(`import('/page/index.js').then(async ({ Malote }) => {
      const malote = new Malote(${login});
      const [user, { data }] = await Promise.all([malote.users.getCurrent(), malote.orders.list({ page_size: 1 })]);
      const label = await malote.packages.getLabel((await malote.orders.get(data[0].id)).packages[0].loggi_key);
      return [user.email, data.length, label.length > 1000, (await malote.graphql.me()).email];
    })`);
    expect(seen).toEqual([ana.email, 1, true, ana.email]);
  });
});
