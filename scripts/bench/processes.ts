/**
 * createOrder over GraphQL by one process, and by two under a supervisor: npm run build && npx tsx scripts/bench/processes.ts
 * [--rounds 5] [--seconds 3] [--clients 32]
 *
 * Service, database and clients share the machine: of two cores little is left to win. Judges nothing.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machine, mention, type Run, ratios, table } from '../../test/support/figures.js';
import { type Child, cpuMs, startChild } from '../../test/support/processes/child.js';
import { openStage, type Stage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];

/** Microseconds that a service, its supervisor included, has used. */
async function usedBy(service: Child): Promise<number> {
  const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8');
  const pids = [service.pid, ...children.split(' ').filter(Boolean).map(Number)];
  const used = await Promise.all(pids.map(cpuMs));
  return 1_000 * used.reduce((sum, each) => sum + each);
}

let used = 0;
/** Numbers that no other run uses; of twelve digits, as eight of them would be read as a CEP. */
const fresh = (): number => 100_000_000_000 + 100_000_000 * ++used;

async function orders({ load, customer }: Stage, service: Child): Promise<Run> {
  const before = await usedBy(service);
  const { orders, refused, seconds: took, latencies } = await load({
    interfaceName: 'graphql',
    urls: [service.url],
    authorization: customer.authorization.graphql,
    paymentMethod: customer.paymentMethod,
    named: false,
    clients,
    seconds,
    firstNumber: fresh(),
  });
  if (refused > 0) console.log(`Note: ${refused} requests were refused with 503 beside ${orders} orders.`);
  return { perSecond: orders / took, cpu: ((await usedBy(service)) - before) / orders, latencies };
}

const cpuOf = (runs: readonly Run[]): number[] => runs.map(({ cpu = Number.NaN }) => cpu);
const rateOf = (runs: readonly Run[]): number[] => runs.map(({ perSecond }) => perSecond);

process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
console.log(`${machine()}; ${rounds} rounds of ${seconds} s; ${clients} connections`);
const stage = await openStage();
const services: Child[] = [];
try {
  for (const processes of [1, 2]) {
    const env = { ...stage.env, PROCESSES: String(processes) };
    services.push(await startChild([SERVICE, '--no-sender'], env));
  }
  const runs = services.map((): Run[] => []);
  // The first two rounds are for the just-in-time compiler.
  for (let round = -2; round < rounds; round += 1) {
    for (const [at, service] of services.entries()) {
      const run = await orders(stage, service);
      if (round >= 0) runs[at]?.push(run);
    }
  }
  const [one = [], two = []] = runs;
  console.log(`${table({ 'PROCESSES=1': one, 'PROCESSES=2': two })}\n`);
  mention('Rate of two processes, as a share of one', ratios(rateOf(two), rateOf(one)), 'the cores are shared');
  mention('CPU per order, as a share of one', ratios(cpuOf(two), cpuOf(one)), "the supervisor's included");
} finally {
  await Promise.all(services.map((service) => service.signal('SIGTERM')));
  await stage.close();
}
