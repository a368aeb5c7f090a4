import { setTimeout as sleep } from 'node:timers/promises';
import { startPooler } from '../../../test/support/pgbouncer.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import {
  breachesOfOrders,
  type Customer,
  countOrders,
  newCustomer,
  startOrderLoad,
} from '../../../test/support/processes/orders.js';
import { endPauses, waiting } from '../../../test/support/processes/queue.js';
import { waitFor } from '../../../test/support/receiver.js';

import { expectThat, type Fault, type Finding, type Run } from '../fault.js';
import { type PoolerProgram, poolerPrograms } from './poolers.js';

const CLIENTS = 4;
// Fewer than the processes have, so that every connection serves each of them.
const CONNECTIONS = 8;
const LOAD_MS = 8_000;

interface Tried {
  created: Set<string>;
  odd: number[];
  errors: string[];
}

/** Starts two processes of the API and a worker behind a pooler at once, and creates orders by both. */
async function behind(
  run: Run,
  { command }: PoolerProgram,
  customer: Customer,
  receiver: CheckingReceiver,
): Promise<Tried> {
  const { stage } = run;
  const pooler = await startPooler({ command, target: stage.databaseUrl, connections: CONNECTIONS });
  const env = { DATABASE_URL: pooler.url };
  const programs = ['api --no-sender', 'api --no-sender', 'worker'] as const;
  const processes = await Promise.all(programs.map((program) => stage.start(program, [receiver.port], env)));
  const apis = processes.slice(0, 2);
  const loads = await Promise.all(apis.map(({ url }) => startOrderLoad(() => url, customer, CLIENTS)));
  await sleep(LOAD_MS);
  await Promise.all(loads.map((load) => load.stop()));
  await waitFor(
    async () => {
      await endPauses(stage.db);
      return (await waiting(stage.db)) === 0;
    },
    'an empty queue',
    60_000,
  );
  const errors = processes.filter((process) => /"level":(50|60|"error"|"fatal")/.test(process.output()));
  await Promise.all(processes.map((process) => process.signal('SIGTERM')));
  await pooler.stop();
  return {
    created: new Set(loads.flatMap(({ created }) => [...created])),
    odd: loads.flatMap(({ others }) => [...others.keys()]).filter((status) => status !== 409),
    errors: errors.map((process) => process.output().slice(-500)),
  };
}

export const pooler: Fault = {
  number: 43,
  name: 'three processes behind PgBouncer in transaction mode',
  promise: 'each runs its own SQL, nothing fails, nothing is lost',
  run: async (run): Promise<Finding> => {
    const programs = await poolerPrograms();
    const receiver = await run.stage.openReceiver();
    const customer = await newCustomer(run.stage, receiver);
    const all = new Set<string>();
    const figures: string[] = [];
    const breaches = expectThat(programs.length > 0, 'no PgBouncer is installed');
    for (const program of programs) {
      const { created, odd, errors } = await behind(run, program, customer, receiver);
      for (const id of created) all.add(id);
      figures.push(`${program.version}: ${created.size} orders`);
      breaches.push(
        ...expectThat(created.size > 0, `no order behind ${program.version}`),
        ...expectThat(odd.length === 0, `answers with ${odd.join()} behind ${program.version}`),
        ...errors.map((output) => `errors behind ${program.version}: ${output}`),
      );
    }
    const count = await countOrders(run.stage, all);
    return {
      figures: `${figures.join(', ')}; lost ${count.missing}, orphans ${count.orphans}`,
      breaches: [...breaches, ...breachesOfOrders(count)],
    };
  },
};
