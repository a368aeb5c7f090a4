import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { accessToken, ask, type Login } from '../../../test/support/http.js';
import { cpuMs, residentMegabytes } from '../../../test/support/processes/child.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { type Customer, newCustomer } from '../../../test/support/processes/orders.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Fault } from '../fault.js';
import { type Attack, attacksOn } from './costly-bodies.js';
import { graphqlTargets, restTargets, type Target } from './operations.js';

const TIMES = 20;
// The least cost assumed for a valid request. The few microseconds of a cheap operation are too little for a ratio.
const MIN_MS = 1;
const RIGHT_TRIES = 10;
const TRIES = 4;
const MAX_BYTES = 65_536;
const HEALTHY_MS = 500;
const ALLOWED_MB = 150;
const LONG = 12_000;
const PATIENCE_MS = 20_000;

interface Answer {
  status: number;
  bytes: number;
  cpu: number;
  healthMs: number;
}

type Send = (target: Target, content?: Attack | undefined, query?: string) => Promise<Answer>;

const compress = promisify(gzip);

/** Sends requests one at a time, each beside a request for /health, and measures the CPU of the process. */
function worker(url: string, pid: number, authorizationOf: (target: Target) => string): Send {
  return async (target, attack, query = '') => {
    const json = attack?.body ?? (target.right === undefined ? undefined : JSON.stringify(target.right));
    const body = json === undefined ? undefined : new Uint8Array(await compress(json));
    const headers = {
      Authorization: authorizationOf(target),
      ...(body ? { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } : {}),
    };
    const before = await cpuMs(pid);
    const start = performance.now();
    const sent = fetch(`${url}${target.path}${query}`, {
      method: target.method,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body ? { body } : {}),
    });
    const [answer, healthMs] = await Promise.all([
      sent.then(async (response) => ({ status: response.status, bytes: (await response.arrayBuffer()).byteLength })),
      fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(async (response) => {
        await response.arrayBuffer();
        return performance.now() - start;
      }),
    ]);
    return { ...answer, cpu: (await cpuMs(pid)) - before, healthMs };
  };
}

interface Cost {
  name: string;
  times: number;
  cpu: number;
  bytes: number;
  healthMs: number;
}

/**
 * The lowest cost of several tries, because other work of the process only adds to it. Repeats only a cost above the
 * bound.
 */
async function costOf(send: () => Promise<Answer>, rightMs: number): Promise<Answer> {
  let least = await send();
  for (let tries = 1; tries < TRIES && (least.cpu > TIMES * rightMs || least.healthMs > HEALTHY_MS); tries += 1) {
    const again = await send();
    if (again.cpu < least.cpu) least = again;
  }
  return least;
}

async function rightCost(send: Send, target: Target): Promise<number> {
  const costs: number[] = [];
  for (let tries = 0; tries < RIGHT_TRIES; tries += 1) costs.push((await send(target)).cpu);
  return Math.max(MIN_MS, costs.toSorted((a, b) => a - b)[RIGHT_TRIES / 2] ?? 0);
}

const floods = [
  ['unknown parameters', `?${Array.from({ length: 2_000 }, (_, at) => `${at}=`).join('&')}`],
  ['a parameter over and over', `?${'page=1&'.repeat(LONG / 7)}`],
  ['a long parameter', `?page=${'9'.repeat(LONG)}`],
  ['a long text to search', `?search=${'%61'.repeat(LONG / 3)}`],
] as const;

/** All requests that are sent to one operation. */
function* attacks(target: Target): Generator<[what: string, attack: Attack | undefined, query: string]> {
  for (const [what, query] of floods) yield [what, undefined, query];
  if (target.method === 'GET') return;
  const places = target.places.length > 0 ? target.places : [[]];
  for (const attack of attacksOn(target.right, places, target.maxBody)) yield [attack.what, attack, ''];
}

async function tryTarget(send: Send, target: Target, breaches: string[]): Promise<Cost[]> {
  const rightMs = await rightCost(send, target);
  const costs: Cost[] = [];
  for (const [what, attack, query] of attacks(target)) {
    const name = `${target.name}, ${what}`;
    const { status, cpu, bytes, healthMs } = await costOf(() => send(target, attack, query), rightMs).catch((cause) => {
      throw new Error(`${name}: no answer within ${PATIENCE_MS / 1000} s`, { cause });
    });
    breaches.push(...expectThat(status < 500, `${name}: ${status}`));
    if (status < 300 && !target.path.endsWith('/graphql')) continue;
    costs.push({ name, times: cpu / rightMs, cpu, bytes, healthMs });
  }
  return costs;
}

const text = ({ name, times, cpu, bytes, healthMs }: Cost): string =>
  `${name}: ${times.toFixed(1)} × (${cpu.toFixed(0)} ms), ${bytes} bytes, others ${healthMs.toFixed(0)} ms`;

function breachesOf(costs: readonly Cost[]): string[] {
  const broken = costs.filter(
    ({ times, bytes, healthMs }) => times > TIMES || bytes > MAX_BYTES || healthMs > HEALTHY_MS,
  );
  const worst = broken.toSorted((a, b) => b.times - a.times).slice(0, 8);
  return [...(broken.length > 0 ? [`${broken.length} cost too much`] : []), ...worst.map(text)];
}

export async function apiKeyOf(url: string, { email, password }: Login): Promise<string> {
  const query = 'mutation($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
  const body = { query, variables: { input: { email, password } } };
  const { text: answer } = await ask(url, 'POST', '/graphql', { body });
  const key = /"apiKey":"([^"]+)"/.exec(answer)?.[1];
  if (!key) throw new Error(answer);
  return key;
}

const address = { address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000', complement: '' };
const dimensions = { width: 20, height: 10, length: 30, weight: 1200 };
const recipient = { name: 'Bruno Lima', phone: '+55 11 98888-7777' };
const order = {
  pickups: [{ address, instructions: '' }],
  packages: [{ pickup_index: 0, recipient, address, dimensions }],
};

/** Valid arguments of a GraphQL root field. */
function variablesOf(field: string, { email, password }: Customer, paymentMethod: number): Record<string, unknown> {
  const packages = [{ pickupIndex: 0, recipient, address, dimensions }];
  const input = { paymentMethod, pickups: order.pickups, packages };
  if (field === 'login') return { input: { email, password } };
  if (field === 'createOrder' || field === 'estimateOrder') return { input };
  if (field === 'orders') return { first: 5 };
  return field === 'package' ? { loggiKey: randomUUID() } : { pk: randomUUID() };
}

/** A batch of scans. The service treats the repeated batch as a retry. */
export const movements = (loggiKeys: readonly string[]) => ({
  movements: loggiKeys.map((loggi_key) => ({
    id: uuidv7(),
    loggi_key,
    status_code: 3,
    happened_at: new Date().toISOString(),
    location: { city: 'São Paulo', state: 'SP' },
  })),
});

function rightTargets(customer: Customer, paymentMethod: number, loggiKeys: readonly string[]): Target[] {
  const idOf = (name: string) => (['code', 'version', 'payment_method_id'].includes(name) ? '1' : customer.accountId);
  const targets = [
    ...restTargets('generated/rest.openapi.json', idOf),
    ...restTargets('generated/operator.openapi.json', idOf),
    ...graphqlTargets('contracts/schema.graphql', (field) => variablesOf(field, customer, paymentMethod)),
  ];
  const rights: Record<string, unknown> = { createOrder: order, recordMovements: movements(loggiKeys) };
  return targets.map((target) => ({ ...target, right: rights[target.name] ?? target.right }));
}

/** The lowest memory of the process during repeated refusals of large bodies, which make it collect garbage. */
async function settledMegabytes(send: Send, target: Target, pid: number): Promise<number> {
  const resident: number[] = [];
  const attack = { what: 'a long text', body: `"${'a'.repeat(target.maxBody - 10)}"` };
  for (let round = 0; round < 12; round += 1) {
    for (let left = 20; left > 0; left -= 1) await send(target, attack);
    resident.push(await residentMegabytes(pid));
  }
  return Math.min(...resident.slice(-6));
}

export const costlyRequests: Fault = {
  what: 'the most expensive bodies of every operation of A, B and D',
  promise: `a refusal costs ≤ ${TIMES} × a right request, ≤ ${MAX_BYTES / 1024} KiB; others wait ≤ ${HEALTHY_MS} ms; memory comes back`,
  run: async ({ stage }) => {
    const { url, pid } = await stage.start('api --no-sender', []);
    const receiver = await stage.openReceiver();
    const customer = await newCustomer(stage, receiver);
    const tokens = {
      operator: await accessToken(url, operatorLogin),
      customer: await accessToken(url, customer),
      key: await apiKeyOf(url, customer),
    };
    const authorizationOf = ({ path, name }: Target): string => {
      if (path === '/graphql') return name === 'GraphQL login' ? '' : `ApiKey ${customer.email}:${tokens.key}`;
      const isOperators =
        path.startsWith('/operator/') || path.startsWith('/api/v1/users') || path.startsWith('/api/v1/products');
      return `Bearer ${isOperators ? tokens.operator : tokens.customer}`;
    };
    const send = worker(url, pid, authorizationOf);
    const [shipped] = await newEndpoints(stage, await stage.openReceiver(), { endpoints: 1, packages: 500 });
    const method = await stage.db.selectFrom('payment_methods').select('id').executeTakeFirstOrThrow();
    const targets = rightTargets(customer, method.id, shipped?.keys ?? []);
    const [largest] = targets.toSorted((a, b) => b.maxBody - a.maxBody);
    if (!largest) throw new Error('the contracts have no operations');
    const before = await settledMegabytes(send, largest, pid);
    const breaches: string[] = [];
    const costs: Cost[] = [];
    for (const target of targets) costs.push(...(await tryTarget(send, target, breaches)));
    const more = (await settledMegabytes(send, largest, pid)) - before;
    const worst = costs.toSorted((a, b) => b.times - a.times)[0];
    return {
      figures: `${costs.length} refusals of ${targets.length} operations, ${more.toFixed(0)} MB more; the most expensive: ${worst ? text(worst) : 'none'}`,
      breaches: [
        ...new Set(breaches),
        ...breachesOf(costs),
        ...expectThat(more <= ALLOWED_MB, `${more.toFixed(0)} MB more stay`),
      ],
    };
  },
};
