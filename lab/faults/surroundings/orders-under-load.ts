import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { execute } from '../../../test/support/database.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import {
  breachesOfOrders,
  countOrders,
  killApi,
  newCustomer,
  type OrderLoad,
  startOrderLoad,
} from '../../../test/support/processes/orders.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { drainedWithoutPauses } from '../../../test/support/queue.js';
import { waitFor } from '../../../test/support/receiver.js';
import type { Fault, Run } from '../fault.js';

const CLIENTS = 12;
const MAX_MS = 5_000;

/** Packages without any notification at the receiver. */
export async function countUnnotified({ db }: Stage, { arrivals }: CheckingReceiver): Promise<number> {
  const notified = new Set(arrivals.flatMap(({ entries }) => entries.map(({ loggiKey }) => loggiKey)));
  const { rows } = await sql<{ key: string }>`select loggi_key as key from packages`.execute(db);
  return rows.filter(({ key }) => !notified.has(key)).length;
}

/** Disturbs the database repeatedly while orders are created and notified. */
async function underLoad(run: Run, trouble: (load: OrderLoad) => Promise<string[]>): Promise<Finding> {
  const { stage } = run;
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  const processes = [await stage.start('api', [receiver.port]), await stage.start('worker', [receiver.port])];
  const load = await startOrderLoad(() => processes[0]?.url ?? '', customer, CLIENTS);
  const breaches = await trouble(load).finally(load.stop);
  await drainedWithoutPauses(stage.db, 60_000);
  const count = await countOrders(stage, load.created);
  const died = processes.filter((process) => !process.runs()).length;
  const unexpected = [...load.others.keys()].filter((status) => ![409, 503].includes(status));
  const unnotified = await countUnnotified(stage, receiver);
  const refused = [...load.others].map(([status, times]) => `${times} × ${status}`).join(', ');
  return {
    figures: `${load.created.size} orders answered 201, others ${refused || 'none'}: lost ${count.missing}, not notified ${unnotified}, processes ended ${died}, together ${count.together} at most`,
    breaches: [
      ...breaches,
      ...breachesOfOrders(count),
      ...expectThat(unexpected.length === 0, `answers with ${unexpected.join()}`),
      ...expectThat(died === 0, `${died} processes ended`),
      ...expectThat(unnotified === 0, `${unnotified} packages were not notified`),
    ],
  };
}

export const endedDatabase: Fault = {
  what: 'PostgreSQL ended at once (-m immediate) 5 times under load',
  promise: 'the processes live, what was acknowledged is kept, only 503 meanwhile, ≤ 5 s',
  run: async (run) => {
    const recoveries: number[] = [];
    const finding = await underLoad(run, async (load) => {
      for (let time = 0; time < 5; time += 1) {
        await sleep(1_500);
        const endedAt = performance.now();
        // PostgreSQL's immediate shutdown.
        process.kill(await run.postgres.pid(), 'SIGQUIT');
        await sleep(100);
        const after = performance.now();
        await waitFor(() => load.lastCreated() > after, 'another order', 60_000);
        recoveries.push(load.lastCreated() - endedAt);
      }
      const longest = Math.max(...recoveries);
      return expectThat(longest <= MAX_MS, `it took ${longest.toFixed(0)} ms until orders were created again`);
    });
    const longest = Math.max(...recoveries) / 1000;
    return { ...finding, figures: `back after ${longest.toFixed(1)} s at most; ${finding.figures}` };
  },
};

export const endedConnections: Fault = {
  what: 'all database connections terminated, again and again',
  promise: 'reconnects: crashes 0, only 503 meanwhile',
  run: async (run) => {
    let times = 0;
    const finding = await underLoad(run, async () => {
      const end = performance.now() + 10_000;
      while (performance.now() < end) {
        times += 1;
        await execute(
          run.stage.databaseUrl,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'malote service' and datname = current_database()`,
        );
        await sleep(300);
      }
      await sleep(1_500);
      return [];
    });
    return { ...finding, figures: `${times} times; ${finding.figures}` };
  },
};

export const killedApi: Fault = {
  what: 'kill -9 of the API while orders are created',
  promise: '201 means that order and notifications exist, once',
  run: ({ stage, random }) => killApi({ stage, random }, 10),
};
