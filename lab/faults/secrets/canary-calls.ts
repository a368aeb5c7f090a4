import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '../../../src/base/secrets/seal.js';
import { orderBody } from '../../../test/support/bodies.js';
import { ask } from '../../../test/support/http.js';
import type { Child } from '../../../test/support/processes/child.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { endPauses, pending } from '../../../test/support/queue.js';
import { type Receiver, waitFor } from '../../../test/support/receiver.js';
import { operatorLogin } from '../../../test/support/service.js';

/** Every secret that the service receives or makes, all different. */
export interface Canaries {
  operatorPassword: string;
  customerPassword: string;
  newPassword: string;
  wrongPassword: string;
  webhookUser: string;
  webhookPassword: string;
  /** Secrets that the service makes, by name. */
  generated: Map<string, string>;
}

/** The answer to a call, which must contain no secret. */
interface Shown {
  call: string;
  text: string;
}

interface Call {
  token?: string;
  authorization?: string;
  /** Sent as JSON unless it is a string. */
  body?: unknown;
}

interface Client {
  /** Answers so far that must contain no secret. */
  shown: Shown[];
  /** The text of the answer. */
  call(method: string, path: string, call?: Call): Promise<string>;
  /** The same, and the answer is searched for secrets at the end. */
  show(method: string, path: string, call?: Call): Promise<string>;
  /** Reads a secret from `field` of an answer. From then on, texts are searched for it under `name`. */
  learn(name: string, field: string, text: string): string;
}

function canaryClient(url: string, learned: Map<string, string>): Client {
  const shown: Shown[] = [];

  const call: Client['call'] = async (method, path, { token, authorization, body } = {}) => {
    const headers = { 'Idempotency-Key': randomUUID(), ...(authorization && { Authorization: authorization }) };
    return (await ask(url, method, path, { token, headers, body })).text;
  };

  const show: Client['show'] = async (method, path, content) => {
    const text = await call(method, path, content);
    shown.push({ call: `${method} ${path}`, text });
    return text;
  };

  const learn: Client['learn'] = (name, field, text) => {
    const value = new RegExp(`"${field}":\\s*"([^"]+)"`).exec(text)?.[1];
    if (value === undefined) throw new Error(`no ${field} in ${text.slice(0, 300)}`);
    learned.set(name, value);
    return value;
  };

  return { shown, call, show, learn };
}

interface Exercise {
  stage: Stage;
  api: Child;
  worker: Child;
  receiver: Receiver;
  secrets: Canaries;
}

interface Signed {
  operator: string;
  customer: string;
  id: string;
}

const EMAIL = 'canary@malote.test';
const person = { email: EMAIL, name: 'Ana', phone: '+55 11 91234-5678' };
const ENDPOINTS = '/operator/v1/webhook-endpoints';

/**
 * Uses every operation that takes or makes a secret, with valid and with invalid requests. Resolves to the answers that
 * must contain no secret.
 */
export async function exercise({ stage, api, worker, receiver, secrets }: Exercise): Promise<Shown[]> {
  const client = canaryClient(api.url, secrets.generated);
  const signed = await signIn(client, secrets);
  await useGraphql(client, secrets);
  await failAtRest(client, secrets, signed);
  const endpointId = await registerEndpoints(client, secrets, signed, receiver);
  for (const [name, key] of await privateKeysOf(stage, endpointId)) secrets.generated.set(name, key);
  await deliver(client, stage, signed, receiver);
  for (const path of [ENDPOINTS, `${ENDPOINTS}/${endpointId}`, `${ENDPOINTS}/${endpointId}/attempts`]) {
    await client.show('GET', path, { token: signed.operator });
  }
  await change(client, secrets, signed);
  return [...client.shown, await metricsOf(api), await metricsOf(worker)];
}

async function signIn({ call, show, learn }: Client, secrets: Canaries): Promise<Signed> {
  const login = (credentials: object) => call('POST', '/auth/login', { body: credentials });
  const first = { email: operatorLogin.email, password: secrets.operatorPassword };
  const operator = learn('operatorToken', 'access_token', await login(first));
  const user = { ...person, password: secrets.customerPassword };
  const { id }: { id: string } = JSON.parse(await show('POST', '/api/v1/users', { token: operator, body: user }));
  await show('POST', `/operator/v1/users/${id}/phone-confirmation`, { token: operator });
  const second = { email: EMAIL, password: secrets.customerPassword };
  const customer = learn('customerToken', 'access_token', await login(second));
  return { operator, customer, id };
}

async function useGraphql({ call, show, learn }: Client, { customerPassword, wrongPassword }: Canaries): Promise<void> {
  const login = (password: string) =>
    `mutation { login(input: { email: "${EMAIL}", password: "${password}" }) { user { apiKey } } }`;
  const apiKey = learn(
    'apiKey',
    'apiKey',
    await call('POST', '/graphql', { body: { query: login(customerPassword) } }),
  );
  const withVariables = 'mutation ($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
  const wrong: { query: string; variables?: object }[] = [
    { query: login(wrongPassword) },
    { query: `${login(wrongPassword)} }` },
    { query: `mutation { login(input: { email: 1, password: ["${wrongPassword}"] }) { user } }` },
    { query: withVariables, variables: { input: { email: EMAIL, password: [wrongPassword] } } },
    { query: withVariables, variables: { input: { email: EMAIL, password: wrongPassword.repeat(20) } } },
  ];
  for (const body of wrong) await show('POST', '/graphql', { body });
  const query = '{ me { email } }';
  await show('POST', '/graphql', { body: { query }, authorization: `ApiKey ${EMAIL}:${apiKey}` });
  await show('POST', '/graphql', { body: { query: '{ nothing }' }, authorization: `ApiKey ${EMAIL}:${apiKey}` });
  await show('POST', '/graphql', { body: { query }, authorization: `ApiKey ${EMAIL}:${wrongPassword}` });
}

async function failAtRest({ show }: Client, { wrongPassword, newPassword }: Canaries, signed: Signed): Promise<void> {
  const logins = [
    { email: EMAIL, password: wrongPassword },
    { email: EMAIL, password: { is: wrongPassword } },
    { email: EMAIL, password: wrongPassword.repeat(20) },
    { email: EMAIL, passwort: wrongPassword, password: 'x' },
    `{"email":"${EMAIL}","password":"${wrongPassword}"`,
    wrongPassword,
  ];
  for (const body of logins) await show('POST', '/auth/login', { body });
  await show('GET', '/api/v1/users/me', { authorization: `Basic ${wrongPassword}` });
  await show('GET', '/api/v1/users/me', { token: wrongPassword });
  await show('GET', '/api/v1/users/me', { token: signed.customer });
  const change = { ...person, password: newPassword, current_password: wrongPassword };
  await show('PUT', `/api/v1/users/${signed.id}`, { token: signed.customer, body: change });
  const user = { ...person, password: wrongPassword, role: 'nobody' };
  await show('POST', '/api/v1/users', { token: signed.operator, body: user });
}

/** Resolves to the id of an endpoint with the receiver's address. */
async function registerEndpoints(
  { call, show, learn }: Client,
  { webhookUser, webhookPassword, wrongPassword }: Canaries,
  { operator, id }: Signed,
  { url, port }: Receiver,
): Promise<string> {
  const body = { user_id: id, url, username: webhookUser, password: webhookPassword };
  const created = await call('POST', ENDPOINTS, { token: operator, body });
  learn('signingSecret', 'signing_secret', created);
  const endpointId = /"id":\s*"([^"]+)"/.exec(created)?.[1] ?? '';
  const rotated = await call('POST', `${ENDPOINTS}/${endpointId}/secret-rotation`, { token: operator });
  learn('nextSigningSecret', 'signing_secret', rotated);
  await show('POST', `${ENDPOINTS}/${endpointId}/key-pair-rotation`, { token: operator });
  const wrong = [
    body,
    { ...body, url: `https://a:${wrongPassword}@127.0.0.1:${port}/` },
    { ...body, password: `${wrongPassword}\n` },
  ];
  for (const each of wrong) await show('POST', ENDPOINTS, { token: operator, body: each });
  return endpointId;
}

/** Read from the database, because no answer contains them: each whole key, and its private half. */
async function privateKeysOf({ db, ring }: Stage, endpointId: string): Promise<Map<string, string>> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .select(['private_key_sealed', 'previous_private_key_sealed'])
    .where('id', '=', endpointId)
    .executeTakeFirstOrThrow();
  const keys = Object.entries(row).flatMap(([name, sealed]) => {
    if (!sealed) throw new Error(`no ${name}`);
    const whole = open(ring, sealed, endpointId).toString('utf8');
    const seed = Buffer.from(whole.replace('whsk_', ''), 'base64').toString('base64', 0, 32);
    return [[name, whole] as const, [`half of ${name}`, seed] as const];
  });
  return new Map(keys);
}

/** The receiver fails in several ways before it accepts a body. One of its answers repeats the request. */
async function deliver({ show }: Client, { db }: Stage, { customer }: Signed, receiver: Receiver): Promise<void> {
  receiver.next(
    { status: 500 },
    (request) => void request.socket.destroy(),
    ({ headers }, response) => {
      const { authorization = '' } = headers;
      const basic = Buffer.from(authorization.replace('Basic ', ''), 'base64');
      response.writeHead(500).end(`you sent ${JSON.stringify(headers)}, that is ${basic}`);
    },
  );
  await show('POST', '/api/v1/orders', { token: customer, body: orderBody() });
  const done = async () => {
    await endPauses(db);
    await sleep(100);
    return receiver.received.length >= 4 && (await pending(db)) === 0;
  };
  await waitFor(done, 'the deliveries', 20_000);
}

async function change({ show }: Client, { newPassword, customerPassword }: Canaries, signed: Signed): Promise<void> {
  const body = { ...person, password: newPassword, current_password: customerPassword };
  await show('PUT', `/api/v1/users/${signed.id}`, { token: signed.customer, body });
  await show('GET', '/api/v1/users/me', { token: signed.customer });
  await show('POST', `/operator/v1/users/${signed.id}/api-key-rotation`, { token: signed.operator });
}

async function metricsOf(child: Child): Promise<Shown> {
  const probes = /(http:\/\/\S+)\/readyz/.exec(child.output())?.[1];
  return { call: 'GET /metrics', text: await (await fetch(`${probes}/metrics`)).text() };
}
