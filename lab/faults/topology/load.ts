import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { graphqlOrder, orderBody } from '../../../test/support/bodies.js';
import { type Answer, accessToken, ask, type Login } from '../../../test/support/http.js';
import type { Committed } from '../../../test/support/processes/traffic.js';
import { operatorLogin } from '../../../test/support/service.js';

/** Clients of A, B and D. Each repeats a request until it is acknowledged. */
export interface Load {
  /** Ids of the acknowledged orders. */
  orders: ReadonlySet<string>;
  /** The acknowledged movements. */
  movements: readonly (Committed & { id: string })[];
  /** Counts of every other answer, for example "A 503". 0 means no answer. */
  others: ReadonlyMap<string, number>;
  /** For each acknowledged request its duration in milliseconds, and its start on the clock of performance.now(). */
  waits: readonly { sentAt: number; ms: number }[];
  /** The longest time since then without an acknowledgement of A, of B or of D, in milliseconds. */
  longestGap(since: number): number;
  /** Resolves when every started request is acknowledged. */
  stop(): Promise<void>;
}

interface Way {
  name: 'A' | 'B' | 'D';
  /**
   * Makes a request. The returned function sends it, and sends it again when called again. Resolves to true if it was
   * acknowledged.
   */
  next(): () => Promise<boolean>;
}

interface Tools {
  url: string;
  path: string;
  known: string[];
  orders: Set<string>;
  movements: (Committed & { id: string })[];
  /** Counts an answer that is no acknowledgement. */
  refuse(name: Way['name'], status: number): false;
}

const PATIENCE_MS = 60_000;
/** Longer than HAProxy waits for an answer. */
const REQUEST_MS = 35_000;
const PAUSE_MS = 20;
const usualClients = { A: 4, B: 4, D: 2 };
/** Few clients, so that requests wait for the fault and not for the machine. */
export const fewClients = { A: 1, B: 1, D: 1 };

/** `url` is HAProxy's address. `path` is the path at which the receiver expects the customer's notifications. */
export async function startLoad(
  url: string,
  customer: Login,
  path: string,
  clientsOf: Readonly<Record<Way['name'], number>> = usualClients,
  pauseMs = PAUSE_MS,
): Promise<Load> {
  const [orders, movements, known] = [new Set<string>(), [] as (Committed & { id: string })[], [] as string[]];
  const others = new Map<string, number>();
  const acknowledged: Record<Way['name'], number[]> = { A: [], B: [], D: [] };
  const waits: { sentAt: number; ms: number }[] = [];
  let stoppedAt = Infinity;
  const refuse = (name: Way['name'], status: number): false => {
    const key = `${name} ${status}`;
    others.set(key, (others.get(key) ?? 0) + 1);
    return false;
  };
  const tools = { url, path, known, orders, movements, refuse };
  const ways = [await rest(tools, customer), await graphql(tools, customer), await scanner(tools)];

  const client = async ({ name, next }: Way): Promise<void> => {
    while (stoppedAt === Infinity) {
      const send = next();
      for (let isDone = false; !isDone && performance.now() < stoppedAt + PATIENCE_MS; ) {
        const sentAt = performance.now();
        isDone = await send();
        if (isDone) {
          waits.push({ sentAt, ms: performance.now() - sentAt });
          acknowledged[name].push(performance.now());
        }
        await sleep(isDone ? pauseMs : 5 * pauseMs);
      }
    }
  };

  const running = ways.flatMap((way) => Array.from({ length: clientsOf[way.name] }, () => client(way)));
  return {
    orders,
    movements,
    others,
    waits,
    longestGap: (since) => {
      const gaps = Object.values(acknowledged).flatMap((times) => {
        const later = [since, ...times.filter((time) => time > since), Math.min(stoppedAt, performance.now())];
        return later.slice(1).map((time, index) => time - (later[index] ?? 0));
      });
      return Math.max(...gaps);
    },
    stop: async () => {
      stoppedAt = performance.now();
      await Promise.all(running);
    },
  };
}

/** Status 0 means that no complete answer came. */
async function post(
  url: string,
  path: string,
  authorization: string,
  body: object,
  key?: string,
): Promise<Pick<Answer, 'status' | 'text'>> {
  const headers = {
    ...(authorization ? { Authorization: authorization } : {}),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  const signal = AbortSignal.timeout(REQUEST_MS);
  return ask(url, 'POST', path, { headers, body, signal }).catch(() => ({ status: 0, text: '' }));
}

async function rest({ url, orders, refuse }: Tools, customer: Login): Promise<Way> {
  const token = await accessToken(url, customer);
  const next = () => {
    const [key, body] = [randomUUID(), orderBody()];
    return async () => {
      const { status, text } = await post(url, '/api/v1/orders', `Bearer ${token}`, body, key);
      if (status !== 201) return refuse('A', status);
      const order: { id: string } = JSON.parse(text);
      orders.add(order.id);
      return true;
    };
  };
  return { name: 'A', next };
}

const CREATE = `mutation Create($input: CreateOrderInput!) {
  createOrder(input: $input) { success orders { pk packages { loggiKey } } }
}`;

interface Created {
  data?: { createOrder?: { orders: { pk: string; packages: { loggiKey: string }[] }[] } } | null;
}

async function graphql({ url, orders, known, refuse }: Tools, { email, password }: Login): Promise<Way> {
  const query = 'mutation Login($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
  const login = await post(url, '/graphql', '', { query, variables: { input: { email, password } } });
  const { data }: { data: { login: { user: { apiKey: string } } } } = JSON.parse(login.text);
  const authorization = `ApiKey ${email}:${data.login.user.apiKey}`;
  const methods = await post(url, '/graphql', authorization, { query: '{ paymentMethods { id } }' });
  const { data: own }: { data: { paymentMethods: { id: number }[] } } = JSON.parse(methods.text);
  const input = graphqlOrder(own.paymentMethods[0]?.id ?? 0);
  const next = () => {
    const key = randomUUID();
    return async () => {
      const { status, text } = await post(url, '/graphql', authorization, { query: CREATE, variables: { input } }, key);
      const answer: Created = status === 200 ? JSON.parse(text) : {};
      const [order] = answer.data?.createOrder?.orders ?? [];
      if (!order) return refuse('B', status);
      orders.add(order.pk);
      known.push(...order.packages.map(({ loggiKey }) => loggiKey));
      return true;
    };
  };
  return { name: 'B', next };
}

const BATCH = 20;
const codes = [3, 14, 17, 11, 18];

/** Moves the packages whose orders B created, those that have waited longest first. */
async function scanner({ url, path, known, movements, refuse }: Tools): Promise<Way> {
  const token = await accessToken(url, operatorLogin);
  let round = 0;
  const next = () => {
    const loggiKeys = known.splice(0, BATCH);
    const status_code = codes[round++ % codes.length] ?? 17;
    const happened_at = new Date().toISOString();
    const location = { city: 'Campinas', state: 'SP' };
    const items = loggiKeys.map((loggi_key) => ({ id: randomUUID(), loggi_key, status_code, happened_at, location }));
    return async () => {
      if (items.length === 0) return true;
      const { status, text } = await post(url, '/operator/v1/movements', `Bearer ${token}`, { movements: items });
      const { results = [] }: { results?: { result: string }[] } = status === 200 ? JSON.parse(text) : {};
      if (results.length === 0 || results.some(({ result }) => result === 'refused')) return refuse('D', status);
      const updatedTime = happened_at.replace('Z', '000Z');
      const at = performance.now();
      movements.push(...items.map(({ id, loggi_key: loggiKey }) => ({ id, path, loggiKey, updatedTime, at })));
      known.push(...loggiKeys);
      return true;
    };
  };
  return { name: 'D', next };
}
