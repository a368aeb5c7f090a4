/**
 * createOrder over GraphQL by one process, and by two under a supervisor: npm run build && npx tsx
 * lab/bench/processes.ts [--rounds 5] [--seconds 3] [--clients 32]
 *
 * Service, database and clients share the machine: of two cores little is left to win. Judges nothing.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machine, mention, type Run, ratios, table } from '../../test/support/figures.js';
import { type Child, cpuMs, startChild } from '../../test/support/processes/child.js';
import type { Job } from './graphql/load.js';
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

// Until the just-in-time compiler is done with the path, for each process.
const WARMING_ORDERS = 2_500;
const WARMING_SECONDS = 60;

async function place(
  { load, customer: { authorization, paymentMethod } }: Stage,
  service: Child,
  extent: Pick<Job, 'seconds' | 'orders'>,
): Promise<Run> {
  const before = await usedBy(service);
  const { orders, refused, ...result } = await load({
    urls: [service.url],
    interfaceName: 'graphql',
    authorization: authorization.graphql,
    paymentMethod,
    named: false,
    clients,
    firstNumber: fresh(),
    ...extent,
  });
  if (refused > 0) console.log(`Note: ${refused} requests were refused with 503 beside ${orders} orders.`);
  const cpu = ((await usedBy(service)) - before) / orders;
  return { perSecond: orders / result.seconds, cpu, latencies: result.latencies };
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
  for (const [at, service] of services.entries()) {
    await place(stage, service, { seconds: WARMING_SECONDS, orders: (at + 1) * WARMING_ORDERS });
  }
  const runs = services.map((): Run[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, service] of services.entries()) runs[at]?.push(await place(stage, service, { seconds }));
  }
  const [one = [], two = []] = runs;
  console.log(`${table({ 'PROCESSES=1': one, 'PROCESSES=2': two })}\n`);
  mention('Rate of two processes, as a share of one', ratios(rateOf(two), rateOf(one)), 'the cores are shared');
  mention('CPU per order, as a share of one', ratios(cpuOf(two), cpuOf(one)), "the supervisor's included");
} finally {
  await Promise.all(services.map((service) => service.signal('SIGTERM')));
  await stage.close();
}
