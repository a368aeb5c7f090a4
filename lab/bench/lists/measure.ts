import { sql } from 'kysely';
import { systemClock } from '../../../src/base/clock.js';
import { newId } from '../../../src/base/ids.js';
import type { KeyRing } from '../../../src/base/secrets/keys.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import type { Db } from '../../../src/db/connect.js';
import type { OrderInput } from '../../../src/orders/order.js';
import { insertOrders } from '../../../src/orders/placing/insert-orders.js';
import { type PlannedOrder, planOrder } from '../../../src/orders/plan-order.js';
import { createCodeSource } from '../../../src/packages/codes.js';
import { createPlanning } from '../../../src/routing/planning.js';
import { quantile } from '../../figures.js';
import { LARGEST } from './stage.js';

export interface Case {
  name: string;
  db: Db;
  run(db: Db): Promise<unknown>;
}

export interface Cost {
  name: string;
  /** Milliseconds, measured by the process. */
  median: number;
  p95: number;
  /** Average milliseconds of planning and executing in PostgreSQL. */
  server: number;
}

const ROUNDS = 7;

/** Measures the cases in turn, so that other work of this machine affects all alike. */
export async function measure(cases: readonly Case[], runs: number): Promise<Map<string, Cost>> {
  const measurements = cases.map((each) => ({ ...each, times: [] as number[], server: 0 }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const measured of measurements) {
      const { times, server } = await block(measured, Math.ceil(runs / ROUNDS));
      // The first round warms up.
      if (round === 0) continue;
      measured.times.push(...times);
      measured.server += server;
    }
  }
  return new Map(
    measurements.map(({ name, times, server }) => [
      name,
      { name, median: quantile(times, 0.5), p95: quantile(times, 0.95), server: server / times.length },
    ]),
  );
}

async function block({ db, run }: Case, runs: number): Promise<{ times: number[]; server: number }> {
  const before = await serverMs(db);
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const started = performance.now();
    await run(db);
    times.push(performance.now() - started);
  }
  return { times, server: (await serverMs(db)) - before };
}

async function serverMs(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select coalesce(sum(total_plan_time + total_exec_time), 0) as ms from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat%'`.execute(
    db,
  );
  return rows[0]?.ms ?? 0;
}

const address = (city: string) => ({ address: `Rua XV de Novembro, 1 - Centro, ${city} - SP` });
const input: OrderInput = {
  pickups: [{ address: address('Campinas') }],
  packages: ['Santos', 'Sorocaba'].map((city) => ({
    pickupIndex: 0,
    recipient: { name: 'Bruno', phone: '+55 11 98888-7777' },
    address: address(city),
    dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
  })),
};

const planning = createPlanning({ log: createLog({ level: 'silent' }) });

/** An order of two packages of the largest account. It can be written any number of times. */
export const plannedOrder = (db: Db): Promise<PlannedOrder> =>
  planOrder({ db, planning, clock: systemClock }, LARGEST, input);

export const keys: KeyRing = [{ id: 'bench', secret: Buffer.alloc(32, 7) }];
export const codes = createCodeSource(keys);

const CREATE_ROUNDS = 24;
const perRound = { alone: 30, together: 140 };

/** The milliseconds of one create: the lower quartile, because other work of the machine only adds time. */
interface CreateCosts {
  alone: { without: number; withTallies: number };
  together: { without: number; withTallies: number };
}

/** Creates orders of one account, singly and several at once, with and without the triggers that keep tallies. */
export async function measureCreates(db: Db, together: number): Promise<CreateCosts> {
  const planned = await plannedOrder(db);
  const times: Times = { alone: { without: [], withTallies: [] }, together: { without: [], withTallies: [] } };
  for (let round = 0; round <= CREATE_ROUNDS; round += 1) {
    for (const kind of ['without', 'withTallies'] as const) {
      await sql`alter table orders ${sql.raw(kind === 'without' ? 'disable' : 'enable')} trigger user`.execute(db);
      const alone = await creates(db, planned, perRound.alone, 1);
      const many = await creates(db, planned, perRound.together, together);
      if (round === 0) continue;
      times.alone[kind].push(...alone);
      times.together[kind].push(...many);
    }
  }
  const costs = ({ without, withTallies }: Times['alone']) => ({
    without: quantile(without, 0.25),
    withTallies: quantile(withTallies, 0.25),
  });
  return { alone: costs(times.alone), together: costs(times.together) };
}

type Times = Record<keyof CreateCosts, Record<keyof CreateCosts['alone'], number[]>>;

async function creates(db: Db, planned: PlannedOrder, count: number, atOnce: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const creator = async () => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      await insertOrders(db, [{ id: newId(), planned }], { codes, keys });
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, creator));
  return times;
}
