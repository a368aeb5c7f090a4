/**
 * Measures createOrder over GraphQL with one replica and with two, and the cost of each layer: npm run build && npx tsx
 * lab/bench/replicas.ts [--rounds 5] [--seconds 3] [--clients 32]. Replicas, database and clients share the machine.
 * With two cores a second replica can gain little, so the rate proves little. The CPU per order shows what more cores
 * would bring; docs/adr/0016-replicas.md has the arithmetic. There is no goal.
 */
import { parseArgs } from 'node:util';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { machine, mention, ratios, spread, table } from '../figures.js';
import { type Placed, place, warming } from './graphql/place.js';
import { openStage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];

process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
console.log(`${machine()}; ${rounds} rounds of ${seconds} s; ${clients} connections`);
const stage = await openStage();
const replicas: Child[] = [];
try {
  for (let left = 2; left > 0; left -= 1) {
    const replica = await startChild([SERVICE, '--no-sender'], stage.env, { measured: true });
    replicas.push(replica);
    await place(stage, [replica], { clients, ...warming });
  }
  const one: Placed[] = [];
  const two: Placed[] = [];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await place(stage, replicas.slice(round % 2, (round % 2) + 1), { clients, seconds }));
    two.push(await place(stage, replicas, { clients, seconds }));
  }
  console.log(`${table({ 'one replica': one, 'two replicas': two })}\n`);
  const of = (runs: readonly Placed[], part: 'cpu' | 'postgres' | 'perSecond') => runs.map((run) => run[part]);
  for (const [name, runs] of Object.entries({ one, two })) {
    mention(`CPU of the API for an order, ${name}`, spread(of(runs, 'cpu')), 'microseconds, of all replicas');
    mention(`CPU of PostgreSQL for an order, ${name}`, spread(of(runs, 'postgres')), 'microseconds');
  }
  mention('Rate of two replicas, as a share of one', ratios(of(two, 'perSecond'), of(one, 'perSecond')));
} finally {
  await Promise.all(replicas.map((replica) => replica.signal('SIGTERM')));
  await stage.close();
}
