/**
 * Compares createOrder over GraphQL under a carrier's rules with a service without rules: npm run build && npx tsx
 * lab/bench/rules.ts [--rules areas] [--rounds 7] [--seconds 3] [--clients 32]. The rules are either `areas` of all
 * municipalities and a calendar with a day off for each, or `cards`: 200 accounts with a rate card each and another one
 * announced. Each service has its own database, and they take turns. The figure is the CPU of the service and of
 * PostgreSQL per order. Exits non-zero if the rules cost more than 3 % in every round.
 */
import { parseArgs } from 'node:util';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { must, signedIn } from '../../test/support/http.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin } from '../../test/support/service.js';
import { judge, machine, mention, ratios, spread, table } from '../figures.js';
import { type Placed, place, warming } from './graphql/place.js';
import { openStage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
    rules: { type: 'string', default: 'areas' },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];

const MOST = 1.03;

/** Another process sets the rules, so that the measured processes have run the same code before. */
async function openService(setRules?: (url: string) => Promise<void>) {
  const stage = await openStage();
  if (setRules) {
    const server = await startChild([SERVICE, '--no-sender'], stage.env);
    await setRules(server.url);
    await server.signal('SIGTERM');
  }
  const server = await startChild([SERVICE, '--no-sender'], stage.env, { measured: true });
  return {
    place: (extent: { seconds: number; orders?: number }) => place(stage, [server], { clients, ...extent }),
    close: async () => {
      await server.signal('SIGTERM');
      await stage.close();
    },
  };
}

const CARDS = 200;

async function addCards(url: string): Promise<void> {
  const { rest, operator } = await signedIn(url, operatorLogin);
  const { version: _, created_at: __, ...prices } = must(await operator.GET('/operator/v1/rate-cards/current'));
  const { data } = must(await rest.GET('/api/v1/users', { params: { query: { role: 'customer', page_size: 100 } } }));
  const ids = data.map(({ id }) => id);
  const today = new Date(Date.now() - SAO_PAULO_MS).toISOString().slice(0, 10);
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  for (let at = 0; at < CARDS; at += 1) {
    const name = `contract-${at}`;
    must(await operator.POST('/operator/v1/rate-cards', { body: { ...prices, name } }));
    must(await operator.POST('/operator/v1/rate-cards', { body: { ...prices, name, valid_from: soon } }));
    const user = { name, email: `${name}@example.com`, phone: '+55 11 98888-7777', password: 'correct horse battery' };
    const id = ids.pop() ?? must(await rest.POST('/api/v1/users', { body: user })).id;
    must(
      await operator.PUT('/operator/v1/users/{id}/rate-card', {
        params: { path: { id } },
        body: { name, from: today },
      }),
    );
  }
}

const SAO_PAULO_MS = 3 * 3_600_000;

async function addAreas(url: string): Promise<void> {
  const { operator } = await signedIn(url, operatorLogin);
  const codes = allMunicipalities().map(({ code }) => code);
  const areas = codes.map((code) => ({ municipalities: [code] }));
  must(await operator.POST('/operator/v1/service-areas', { body: { areas } }));
  const closed = codes.map((municipality) => ({ date: `${new Date().getFullYear() + 1}-06-24`, municipality }));
  must(await operator.POST('/operator/v1/calendars', { body: { collection_cutoff: '11:00', closed } }));
}

process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
console.log(`${machine()}; ${rounds} rounds of ${seconds} s; ${clients} connections`);
const services = {
  with: await openService(values.rules === 'cards' ? addCards : addAreas),
  without: await openService(),
};
try {
  for (const { place: warm } of Object.values(services)) await warm(warming);
  const placed = { with: [] as Placed[], without: [] as Placed[] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    for (const name of order) placed[name].push(await services[name].place({ seconds }));
  }
  console.log(`${table({ 'with rules': placed.with, 'without rules': placed.without })}\n`);
  const cpu = (runs: readonly Placed[]) => runs.map((run) => run.cpu + run.postgres);
  mention(`CPU of an order with ${values.rules}, µs`, spread(cpu(placed.with)));
  mention('CPU of an order without, µs', spread(cpu(placed.without)));
  const isCheap = judge('CPU with rules, as a share', ratios(cpu(placed.with), cpu(placed.without)), MOST, 'below');
  process.exitCode = isCheap ? 0 : 1;
} finally {
  for (const { close } of Object.values(services)) await close();
}
