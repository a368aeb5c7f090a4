/**
 * CPU of pages of the operator's console, beside that of the operations that they call, in turns:
 * npm run build && npx tsx lab/bench/console.ts [--rounds 7] [--requests 400]
 */
import { parseArgs } from 'node:util';
import { machine, mention, ratios, spread } from '../../test/support/figures.js';
import { accessToken, clientsFor, must } from '../../test/support/http.js';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { operatorLogin } from '../../test/support/service.js';
import { connectTo, exchange } from './connection.js';
import { mutation } from './graphql/mutation.js';
import { openStage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, requests: { type: 'string', default: '400' } },
});
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
const ORDERS = 40;

const get = (url: string, path: string, header: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${header}\r\n\r\n`;

/** The cookie of a session of the first operator. */
async function sessionOf(url: string): Promise<string> {
  const body = new URLSearchParams({ ...operatorLogin });
  const answer = await fetch(`${url}/console/sign-in`, { method: 'POST', redirect: 'manual', body });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (answer.status !== 303 || cookie === '') throw new Error(`the sign-in was answered ${answer.status}`);
  return `Cookie: ${cookie}`;
}

/** Microseconds of the server's CPU for each time that all of the requests are sent, one after the other. */
async function cost(server: Child, texts: readonly string[]): Promise<number> {
  const socket = await connectTo(server.url);
  const before = await server.cpu();
  for (let count = 0; count < requests; count += 1) {
    for (const text of texts) {
      const answer = await exchange(socket, text);
      // A package without a PIN answers 404 when it is asked for its state.
      if (!/^HTTP\/1.1 (200|404) /.test(answer)) throw new Error(answer.slice(0, 400));
    }
  }
  const after = await server.cpu();
  socket.destroy();
  return (after - before) / requests;
}

await demandBuild();
const stage = await openStage();
const server = await startChild([SERVICE, '--no-sender'], stage.env, { measured: true });
try {
  console.log(`${machine()}; ${rounds} rounds of ${requests} requests over one connection`);
  const { url } = server;
  for (let number = 1; number <= ORDERS; number += 1) {
    const query = mutation({
      number: 500_000_000_000 + number,
      paymentMethod: stage.customer.paymentMethod,
      named: false,
    });
    const headers = { Authorization: stage.customer.authorization.graphql, 'Content-Type': 'application/json' };
    await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  }
  const token = await accessToken(url, operatorLogin);
  const { operator } = clientsFor(url, token);
  const [tracked] = must(await operator.GET('/operator/v1/packages')).data;
  if (!tracked) throw new Error('there is no package');
  const key = tracked.loggi_key;
  const cookie = await sessionOf(url);
  const pages: Record<string, readonly string[]> = {
    '/console': [
      '/operator/v1/figures?stuck_days=3',
      '/operator/v1/packages?late=true&page_size=10',
      '/operator/v1/webhook-endpoints?trouble=true',
      '/operator/v1/tasks?state=open&page_size=1',
    ],
    '/console/packages': ['/operator/v1/package-statuses?page_size=100', '/operator/v1/packages'],
    [`/console/packages/${key}`]: [
      `/operator/v1/packages/${key}`,
      `/operator/v1/packages/${key}/movements`,
      '/operator/v1/package-statuses?page_size=100',
      `/operator/v1/tasks?loggi_key=${key}`,
      `/operator/v1/packages/${key}/pin`,
    ],
    [`/console/orders/${tracked.order_id}`]: [`/api/v1/orders/${tracked.order_id}`],
  };
  for (const [page, calls] of Object.entries(pages)) {
    const shown = [get(url, page, cookie)];
    const called = calls.map((path) => get(url, path, `Authorization: Bearer ${token}`));
    for (const texts of [shown, called]) await cost(server, texts);
    const costs: { page: number[]; calls: number[] } = { page: [], calls: [] };
    for (let round = 0; round < rounds; round += 1) {
      costs.page.push(await cost(server, shown));
      costs.calls.push(await cost(server, called));
    }
    const name = page.replace(/[\da-f-]{36}/, '…');
    mention(`${name}: CPU, µs`, spread(costs.page));
    mention(`its ${calls.length} calls: CPU, µs`, spread(costs.calls));
    mention(`${name}: times its calls`, ratios(costs.page, costs.calls));
  }
} finally {
  await server.signal('SIGTERM');
  await stage.close();
}
