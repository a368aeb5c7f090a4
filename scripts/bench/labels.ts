/**
 * CPU of the labels of an order of 100 packages, beside that of one label:
 * npm run build && npx tsx scripts/bench/labels.ts [--rounds 7] [--requests 20]
 *
 * In each round the service is asked so many times for one label, then for all of the order. Prints milliseconds of its CPU, how many
 * times as much the hundred cost, and how much memory it holds while orders of a hundred are asked for, beside single labels; exits
 * non-zero when the hundred cost 40 times as much as one in every round.
 */
import { parseArgs } from 'node:util';
import { judge, machine, mention, ratios, spread } from '../../test/support/figures.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { type Child, mostMegabytes, startChild } from '../../test/support/processes/child.js';
import { orderBody, packageBody } from '../../test/support/records.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, requests: { type: 'string', default: '20' } },
});
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
const PACKAGES = 100;
const GOAL = 40;

const names = ['Bruno Lima', 'Maria da Conceição Gonçalves de Araújo', 'José Antônio Müller', 'Ana Žižková'];
const packages = Array.from({ length: PACKAGES }, (_, at) => ({
  ...packageBody,
  recipient: { ...packageBody.recipient, name: `${names[at % names.length]} ${at}` },
  instructions: `Deixar na portaria do bloco ${at}.`,
}));

interface Paths {
  one: string;
  hundred: string;
}

async function placeOrder(url: string, token: string): Promise<Paths> {
  const body = { ...orderBody(), packages };
  const { text } = await ask(url, 'POST', '/api/v1/orders', { token, body });
  const order: { id: string; packages: { loggi_key: string }[] } = JSON.parse(text);
  const [first] = order.packages;
  if (!first) throw new Error(`no order was created: ${text}`);
  return { one: `/api/v1/packages/${first.loggi_key}/label`, hundred: `/api/v1/orders/${order.id}/labels` };
}

async function load(url: string, path: string, token: string): Promise<void> {
  for (let asked = 0; asked < requests; asked += 1) {
    const { status, text } = await ask(url, 'GET', path, { token });
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`);
  }
}

/** Milliseconds of CPU of one request. */
async function cost(server: Child, path: string, token: string): Promise<number> {
  const before = await server.cpu();
  await load(server.url, path, token);
  return ((await server.cpu()) - before) / requests / 1000;
}

async function compare(server: Child, token: string, paths: Paths, format: 'pdf' | 'zpl'): Promise<number[][]> {
  const query = `?format=${format}`;
  const [one, hundred]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const pair = [await cost(server, paths.one + query, token), await cost(server, paths.hundred + query, token)];
    // The first round is for the just-in-time compiler.
    if (round < 0) continue;
    one.push(pair[0] ?? Number.NaN);
    hundred.push(pair[1] ?? Number.NaN);
  }
  mention(`${format}: CPU of one label, ms`, spread(one));
  mention(`${format}: CPU of the labels of ${PACKAGES} packages, ms`, spread(hundred));
  return [hundred, one];
}

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = { ...serviceSettings(postgres.nearUrl, postgres.folder), RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  const token = await accessToken(server.url, operatorLogin);
  const paths = await placeOrder(server.url, token);
  const [hundred = [], one = []] = await compare(server, token, paths, 'pdf');
  const isCheap = judge(`pdf: ${PACKAGES} labels, in times the CPU of one`, ratios(hundred, one), GOAL, 'below');
  const [manyZpl = [], oneZpl = []] = await compare(server, token, paths, 'zpl');
  mention(`zpl: ${PACKAGES} labels, in times the CPU of one`, ratios(manyZpl, oneZpl));
  const holds = async (path: string) => spread([await mostMegabytes(server.pid, load(server.url, path, token))]);
  mention('memory while single labels are asked for, MB', await holds(paths.one));
  mention(`memory while ${PACKAGES} labels are asked for, MB`, await holds(paths.hundred));
  process.exitCode = isCheap ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
