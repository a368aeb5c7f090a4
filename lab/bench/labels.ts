/**
 * Compares the labels of an order of 100 packages with one label, for Latin names and for the most expensive names: npm
 * run build && npx tsx lab/bench/labels.ts [--rounds 7] [--requests 20]. Every optional field is filled. In each round
 * the service makes one label so many times, then all labels of the order. Prints the service's CPU in milliseconds,
 * the factor for a hundred labels, and the CPU of the longest turn of the event loop (measured in this process). Also
 * prints the slowest answer of /health during eight requests for files, and the growth of memory over a hundred files.
 * Exits non-zero if a hundred labels cost 40 times as much as one in every round. The same if a file of the most
 * expensive names costs more than 0.4 s, a turn takes more than 50 ms, or memory grows by more than 64 MB.
 */
import { parseArgs } from 'node:util';
import type { Label, LabelFormat } from '../../src/labels/label.js';
import { labelFile } from '../../src/labels/print.js';
import { orderBody, packageBody } from '../../test/support/bodies.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { type Child, residentMegabytes, startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, mention, ratios, spread } from '../figures.js';
import { fiscalKey } from './graphql/mutation.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, requests: { type: 'string', default: '20' } },
});
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
const PACKAGES = 100;
const GOAL = 40;
const MAX_MS = 400;
const MAX_TURN_MS = 50;
const MAX_GROWTH = 64;

const latin = ['Bruno Lima', 'Maria da Conceição Gonçalves de Araújo', 'José Antônio Müller', 'Ana Žižková'];
/** Texts of the package at an index of the order. */
const texts = {
  Latin: (at: number) => `${latin[at % latin.length]} ${at}`,
  // A text of the greatest length, with all characters different.
  Chinese: (at: number) =>
    String.fromCodePoint(...Array.from({ length: 255 }, (_, index) => 0x4e00 + ((255 * at + index) % 20_000))),
};
type Kind = keyof typeof texts;

const packagesOf = (kind: Kind) =>
  Array.from({ length: PACKAGES }, (_, at) => ({
    ...packageBody,
    recipient: { ...packageBody.recipient, name: texts[kind](at) },
    address: { ...packageBody.address, complement: texts[kind](at).slice(0, 100) },
    instructions: texts[kind](at),
    fiscal_document: { kind: 'nfe', key: fiscalKey(kind === 'Latin' ? 1 : 2, at) },
  }));

interface Paths {
  one: string;
  hundred: string;
}

async function placeOrder(url: string, token: string, kind: Kind): Promise<Paths> {
  const body = { ...orderBody(), packages: packagesOf(kind) };
  const { status, text } = await ask(url, 'POST', '/api/v1/orders', { token, body });
  if (status !== 201) throw new Error(`no order was created: ${text}`);
  const order: { id: string; packages: { loggi_key: string }[] } = JSON.parse(text);
  const [first] = order.packages;
  if (!first) throw new Error('the order has no package');
  return { one: `/api/v1/packages/${first.loggi_key}/label`, hundred: `/api/v1/orders/${order.id}/labels` };
}

async function load(url: string, path: string, token: string): Promise<void> {
  for (let asked = 0; asked < requests; asked += 1) {
    const { status, text } = await ask(url, 'GET', path, { token });
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`);
  }
}

/** The CPU of one request, in milliseconds. */
async function cost(server: Child, path: string, token: string): Promise<number> {
  const before = await server.cpu();
  await load(server.url, path, token);
  return ((await server.cpu()) - before) / requests / 1000;
}

interface Costs {
  one: number[];
  hundred: number[];
}

async function costsOf(server: Child, token: string, paths: Paths, format: LabelFormat): Promise<Costs> {
  const query = `?format=${format}`;
  const costs: Costs = { one: [], hundred: [] };
  for (let round = -1; round < rounds; round += 1) {
    const pair = [await cost(server, paths.one + query, token), await cost(server, paths.hundred + query, token)];
    // The first round warms up the just-in-time compiler.
    if (round < 0) continue;
    costs.one.push(pair[0] ?? Number.NaN);
    costs.hundred.push(pair[1] ?? Number.NaN);
  }
  return costs;
}

/** True if the costs are within their bounds. */
function judgeCosts(kind: Kind, format: LabelFormat, { one, hundred }: Costs): boolean {
  const title = `${kind} ${format}`;
  mention(`${title}: CPU of one label, ms`, spread(one));
  const isCheap = judge(`${title}: CPU of the labels of ${PACKAGES} packages, ms`, spread(hundred), MAX_MS, 'below');
  const times = ratios(hundred, one);
  return judge(`${title}: ${PACKAGES} labels, in times the CPU of one`, times, GOAL, 'below') && isCheap;
}

const labelOf = (text: string, stop: number): Label => ({
  orderName: text,
  sender: { name: 'Ana Souza', address: 'Av. Paulista, 1578', complement: '' },
  recipient: { name: text, address: text, complement: text },
  instructions: text,
  city: 'São Paulo',
  state: 'SP',
  postalCode: '05422000',
  volume: { number: 1, of: 2 },
  weight: 1200,
  document: { kind: 'nfe', number: '1234', value: '35260912ABC34501DE35550010000012341234567898' },
  stop,
  promisedDate: '2026-11-18',
  deliverFrom: null,
  trackingCode: '7ZK3M9P2QP1S',
  barcode: String(378912345678900000n + BigInt(stop)),
  trackingUrl: `https://malote.example/t/${String(stop).padStart(52, 'x')}`,
});

/**
 * The CPU of the longest turn of the event loop while a file is made, in milliseconds. The first files warm up the
 * compiler.
 */
async function longestTurn(kind: Kind, format: LabelFormat): Promise<number> {
  const labels = Array.from({ length: PACKAGES }, (_, at) => labelOf(texts[kind](at), at));
  let longest = 0;
  for (let file = 0; file < 5; file += 1) {
    longest = 0;
    let isDone = false;
    const watching = (async () => {
      for (let before = process.cpuUsage(); !isDone; before = process.cpuUsage()) {
        await new Promise(setImmediate);
        const { user, system } = process.cpuUsage(before);
        longest = Math.max(longest, (user + system) / 1000);
      }
    })();
    await labelFile('Labels', labels, { format, layout: '100x150' });
    isDone = true;
    await watching;
  }
  return longest;
}

/** The slowest answer of /health during eight simultaneous requests for files, in milliseconds. */
async function slowestHealth(server: Child, token: string, path: string): Promise<number> {
  let isDone = false;
  let slowest = 0;
  const files = Promise.all(Array.from({ length: 8 }, () => ask(server.url, 'GET', path, { token })));
  const asking = (async () => {
    while (!isDone) {
      const since = performance.now();
      await ask(server.url, 'GET', '/health', {});
      slowest = Math.max(slowest, performance.now() - since);
    }
  })();
  const statuses = (await files).map(({ status }) => status);
  isDone = true;
  await asking;
  if (statuses.some((status) => status !== 200)) throw new Error(`eight at once were answered ${statuses}`);
  return slowest;
}

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = {
  ...serviceSettings(postgres.nearUrl, postgres.folder),
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
  // All requested files wait at the gate of labels, so none is refused on a slow machine.
  ACCOUNT_CONCURRENCY: '8',
};
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  const token = await accessToken(server.url, operatorLogin);
  const verdicts: boolean[] = [];
  for (const kind of ['Latin', 'Chinese'] as const) {
    const paths = await placeOrder(server.url, token, kind);
    for (const format of ['pdf', 'zpl'] as const) {
      verdicts.push(judgeCosts(kind, format, await costsOf(server, token, paths, format)));
      const turn = spread([await longestTurn(kind, format)]);
      verdicts.push(judge(`${kind} ${format}: CPU of the longest turn, ms`, turn, MAX_TURN_MS, 'below'));
    }
    mention(
      `${kind}: slowest /health beside eight files, ms`,
      spread([await slowestHealth(server, token, paths.hundred)]),
    );
    const before = await residentMegabytes(server.pid);
    for (let file = 0; file < 100; file += 1) await ask(server.url, 'GET', paths.hundred, { token });
    const growth = spread([(await residentMegabytes(server.pid)) - before]);
    verdicts.push(judge(`${kind}: growth of memory over a hundred files, MB`, growth, MAX_GROWTH, 'below'));
  }
  process.exitCode = verdicts.includes(false) ? 1 : 0;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
