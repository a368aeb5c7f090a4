import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, type GraphQLOutputType, getNamedType, isNonNullType, isObjectType } from 'graphql';
import { isFields, parseJson } from '../../../src/base/values.js';
import { Visitor } from '../../../test/pages/visitor.js';
import { type Ask, accessToken, ask } from '../../../test/support/http.js';
import type { Child } from '../../../test/support/processes/child.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { type Customer, newCustomer } from '../../../test/support/processes/orders.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Fault } from '../fault.js';
import { apiKeyOf, movements } from './costly-requests.js';
import { orderOf, toCities } from './flood.js';

const MAX_MS = 50;
// Requests until the just-in-time compiler has finished with a path.
const WARMING = 6;
const TIMES = 8;
const PACKAGES = 100;
const ROWS = 10_000;
const SETTLE_MS = 50;

/** Runs before the process's own code. Writes the CPU of its main thread in the longest turn since a SIGUSR2. */
const meter = `data:text/javascript,${encodeURIComponent(`
  let longest = 0;
  let last = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    const ms = (now.user + now.system - last.user - last.system) / 1000;
    last = now;
    if (ms > longest) {
      longest = ms;
      console.error('longest turn ' + ms.toFixed(1));
    }
    setImmediate(turn);
  };
  process.on('SIGUSR2', () => {
    longest = 0;
    console.error('longest turn 0');
  });
  turn();`)}`;

const longestOf = (child: Child): number =>
  Number([...child.output().matchAll(/longest turn ([\d.]+)/g)].at(-1)?.[1] ?? Number.NaN);

/** Selects every field that needs no argument. Does not descend into a type inside itself. */
function everyField(type: GraphQLOutputType, within: readonly string[] = []): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    const needsArgument = field.args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);
    if (needsArgument || [...within, named.name].includes(getNamedType(field.type).name)) return [];
    return `${field.name} ${everyField(field.type, [...within, named.name])}`;
  });
  return `{ ${fields.join(' ')} }`;
}

function listOfEverything(): string {
  const { orders } = buildSchema(readFileSync('contracts/schema.graphql', 'utf8')).getQueryType()?.getFields() ?? {};
  if (!orders) throw new Error('the schema has no orders');
  return `{ orders(first: 100) ${everyField(orders.type)} }`;
}

/** The largest requests by name. Each resolves to the status of its answer. */
type Requests = Record<string, (number: number) => Promise<number>>;

const refused = (status: number): number => (status === 400 ? 200 : 500);

interface Scene {
  url: string;
  stage: Stage;
  customer: Customer;
}

const scans = (loggiKeys: readonly string[]): string =>
  ['loggi_key,status_code,happened_at']
    .concat(Array.from({ length: ROWS }, (_, at) => `${loggiKeys[at % loggiKeys.length]},3,2026-11-20T10:00:00Z`))
    .join('\n');

async function requestsOf({ url, stage, customer }: Scene): Promise<Requests> {
  const [token, operatorToken] = [await accessToken(url, customer), await accessToken(url, operatorLogin)];
  const headers = { Authorization: `ApiKey ${customer.email}:${await apiKeyOf(url, customer)}` };
  const [shipped] = await newEndpoints(stage, await stage.openReceiver(), { endpoints: 1, packages: 500 });
  const keys = shipped?.keys ?? [];
  const statusOf = async (method: string, path: string, request: Ask): Promise<number> =>
    (await ask(url, method, path, { token, ...request })).status;
  const made = await ask(url, 'POST', '/api/v1/orders', { token, body: orderOf(PACKAGES, 0) });
  const order = parseJson(made.text);
  const id = isFields(order) ? String(order['id']) : '';
  const visit = new Visitor(url);
  await visit.signIn(operatorLogin);
  const upload = async (number: number, content: string): Promise<number> => {
    const page = '/console/movements/import';
    await visit.get(page);
    return (await visit.upload(page, `scans-${number}.csv`, content)).status;
  };
  const list = listOfEverything();
  return {
    createOrder: (number) => statusOf('POST', '/api/v1/orders', { body: orderOf(PACKAGES, number + 1) }),
    'estimateOrder to 20 cities': (number) => statusOf('POST', '/api/v1/estimates', { body: toCities(number) }),
    getOrder: () => statusOf('GET', `/api/v1/orders/${id}`, {}),
    listOrders: () => statusOf('GET', '/api/v1/orders', { query: '?page_size=100' }),
    listPackages: () => statusOf('GET', '/api/v1/packages', { query: '?page_size=100' }),
    'getOrderLabels in PDF': () => statusOf('GET', `/api/v1/orders/${id}/labels`, {}),
    'getOrderLabels in ZPL': () => statusOf('GET', `/api/v1/orders/${id}/labels`, { query: '?format=zpl' }),
    'GraphQL orders with everything': (number) =>
      statusOf('POST', '/graphql', { headers, body: { query: number % 2 === 0 ? list : `${list} # ${number}` } }),
    recordMovements: () => statusOf('POST', '/operator/v1/movements', { token: operatorToken, body: movements(keys) }),
    'a file of movements at the console': (number) => upload(number, scans(keys)),
    'a file of commas at the console': async (number) => refused(await upload(number, '\n,'.repeat(ROWS))),
  };
}

export const longTurns: Fault = {
  what: 'the largest requests of A, B, D and the console, one after the other and eight at once',
  promise: `no turn of the event loop takes more than ${MAX_MS} ms of CPU`,
  run: async ({ stage }) => {
    const env = { NODE_OPTIONS: `--import=${meter}` };
    const child = await stage.start('api --no-sender', [], env);
    const customer = await newCustomer(stage, await stage.openReceiver());
    const requests = await requestsOf({ url: child.url, stage, customer });
    const longest: [name: string, ms: number][] = [];
    const breaches: string[] = [];
    for (const [name, send] of Object.entries(requests)) {
      let number = 0;
      const sendTimes = async (times: number) => {
        for (let left = times; left > 0; left -= 1) {
          const status = await send(number++);
          breaches.push(...expectThat(status < 400 || status === 429, `${name}: ${status}`));
        }
      };
      await sendTimes(WARMING);
      process.kill(child.pid, 'SIGUSR2');
      await sleep(SETTLE_MS);
      await sendTimes(TIMES);
      await Promise.all(Array.from({ length: TIMES }, () => sendTimes(1)));
      await sleep(SETTLE_MS);
      longest.push([name, longestOf(child)]);
    }
    const figures = longest.toSorted(([, a], [, b]) => b - a).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
    const tooLong = longest.filter(([, ms]) => !(ms <= MAX_MS)).map(([name, ms]) => `${name}: ${ms} ms`);
    return { figures: figures.join(', '), breaches: [...new Set(breaches), ...tooLong] };
  },
};
