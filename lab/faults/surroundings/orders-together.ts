import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { transaction } from '../../../src/db/transaction.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import {
  breachesOfOrders,
  type Customer,
  countOrders,
  newCustomer,
  type OrderLoad,
  startOrderLoad,
} from '../../../test/support/processes/orders.js';
import { proxyTo, type TcpProxy } from '../../../test/support/proxy.js';
import { quantile } from '../../figures.js';
import type { Fault, Run } from '../fault.js';

const CLIENTS = 8;
const LOCKED_CLIENTS = 2;
const ROUND_MS = 4_000;
const ROUNDS = 3;
// Measurements before a breach is believed, because the machine may be busy with other work.
const TRIES = 3;
const MAX_TIMES = 1.2;
/** The wait of a batch; a smaller difference is noise. */
const NOISE_MS = 5;

/** Holds the lock that a deletion of the account takes. */
const whileLocked = <T>({ stage }: Run, { accountId }: Customer, work: () => Promise<T>): Promise<T> =>
  transaction(stage.db, async (trx) => {
    await sql`select from accounts where id = ${accountId} for update`.execute(trx);
    return work();
  });

interface Scene {
  run: Run;
  url: string;
  others: Customer;
  locked: Customer;
  loads: OrderLoad[];
}

/** The latencies of other accounts' orders in one round, with or without the locked account. */
async function round({ run, url, others, locked, loads }: Scene, isBeside: boolean): Promise<readonly number[]> {
  const load = await startOrderLoad(() => url, others, CLIENTS);
  loads.push(load);
  const wait = async () => {
    await sleep(ROUND_MS);
    await load.stop();
  };
  if (!isBeside) await wait();
  else {
    const beside = await startOrderLoad(() => url, locked, LOCKED_CLIENTS);
    loads.push(beside);
    await whileLocked(run, locked, wait);
    await beside.stop();
  }
  return load.latencies;
}

async function compare(scene: Scene): Promise<Finding> {
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let number = 0; number < ROUNDS; number += 1) {
    alone.push(...(await round(scene, false)));
    beside.push(...(await round(scene, true)));
  }
  const [before, after] = [quantile(alone, 0.95), quantile(beside, 0.95)];
  return {
    figures: `others' p95 ${before.toFixed(1)} ms, beside the locked account ${after.toFixed(1)} ms`,
    breaches: expectThat(
      after <= Math.max(MAX_TIMES * before, before + NOISE_MS),
      `others waited ${(after / before).toFixed(2)} times as long`,
    ),
  };
}

export const lockedAccount: Fault = {
  what: "an account's row locked while it and others create orders",
  promise: "others' p95 ≤ 1.2 × without it; its own: 503, then once",
  run: async (run) => {
    const { stage } = run;
    const receiver = await stage.openReceiver();
    const { url } = await stage.start('api --no-sender', [receiver.port]);
    const [others, locked] = [await newCustomer(stage, receiver), await newCustomer(stage, receiver)];
    const scene: Scene = { run, url, others, locked, loads: [] };
    await round(scene, false);
    let finding = await compare(scene);
    for (let again = 1; again < TRIES && finding.breaches.length > 0; again += 1) finding = await compare(scene);
    const count = await countOrders(stage, new Set(scene.loads.flatMap(({ created }) => [...created])));
    const statuses = new Set(scene.loads.flatMap(({ others: refused }) => [...refused.keys()]));
    return {
      figures: `${finding.figures}; ${count.orders} orders: lost ${count.missing}, twice ${count.surplus}, other answers ${[...statuses].join() || 'none'}`,
      breaches: [
        ...finding.breaches,
        ...breachesOfOrders(count),
        ...expectThat(String([...statuses]) === '503', `answers with ${[...statuses].join()}, not with 503 alone`),
      ],
    };
  },
};

const LOSSES = 10;

/**
 * Cuts the connection after a statement with this text has reached the database, while orders are created. Resolves to
 * the orders.
 */
async function whileLosing(text: string, proxy: TcpProxy, start: () => Promise<OrderLoad>): Promise<OrderLoad> {
  const load = await start();
  for (const most = proxy.lost() + LOSSES; proxy.lost() < most; ) {
    const lost = proxy.lost();
    await sleep(100);
    proxy.loseAnswersTo(text);
    while (proxy.lost() === lost) await sleep(5);
    proxy.loseAnswersTo(undefined);
  }
  await load.stop();
  return load;
}

export const lostCommit: Fault = {
  what: 'the connection cut when the database answers that orders are committed, 20 times',
  promise: 'the orders are looked up and answered 201, none is created twice',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const customer = await newCustomer(stage, receiver);
    const proxy = await proxyTo(stage.databaseUrl);
    const { url } = await stage.start('api --no-sender', [receiver.port], { DATABASE_URL: proxy.url });
    const start = (keyed: boolean) => () => startOrderLoad(() => url, customer, CLIENTS, { keyed });
    // A batch without keys is one statement; a batch with keys is a transaction.
    const all = [
      await whileLosing('"package_count"', proxy, start(false)),
      await whileLosing('commit', proxy, start(true)),
    ];
    const count = await countOrders(stage, new Set(all.flatMap(({ created }) => [...created])));
    const unexpected = new Set(all.flatMap(({ others }) => [...others.keys()]));
    await proxy.cut();
    return {
      figures: `${proxy.lost()} answers lost, ${count.orders} orders: never answered or twice ${count.surplus}, missing ${count.missing}, together ${count.together} at most`,
      breaches: [
        ...breachesOfOrders(count),
        ...expectThat(unexpected.size === 0, `answers with ${[...unexpected].join()}`),
      ],
    };
  },
};
