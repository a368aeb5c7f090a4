import { sql } from 'kysely';
import { systemClock } from '../../../src/base/clock.js';
import { createLog } from '../../../src/base/log.js';
import type { Db } from '../../../src/db/connect.js';
import type { OrderInput } from '../../../src/orders/order.js';
import { placeOrder } from '../../../src/orders/place-order.js';
import { type PlannedOrder, planOrder } from '../../../src/orders/plan-order.js';
import { createCodeSource } from '../../../src/packages/codes.js';
import { createPlanning } from '../../../src/routing/planning.js';
import { LARGEST } from './bulk.js';
import { quantile } from './measure.js';

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

const codes = createCodeSource([{ id: 'bench', secret: Buffer.alloc(32, 7) }]);

const ROUNDS = 24;
const perRound = { alone: 30, together: 140 };

/** Milliseconds of one create; the lower quartile, because whatever else this machine does only adds. */
export interface CreateCosts {
  alone: { without: number; withTallies: number };
  together: { without: number; withTallies: number };
}

/** Creates of one account, one after the other and so many at once, with and without the triggers that keep the tallies. */
export async function measureCreates(db: Db, together: number): Promise<CreateCosts> {
  const planning = createPlanning({ log: createLog({ level: 'silent' }) });
  const planned = await planOrder({ db, planning, clock: systemClock }, LARGEST, input);
  const taken: Taken = { alone: { without: [], withTallies: [] }, together: { without: [], withTallies: [] } };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const kind of ['without', 'withTallies'] as const) {
      await sql`alter table orders ${sql.raw(kind === 'without' ? 'disable' : 'enable')} trigger user`.execute(db);
      const alone = await creates(db, planned, perRound.alone, 1);
      const many = await creates(db, planned, perRound.together, together);
      if (round === 0) continue;
      taken.alone[kind].push(...alone);
      taken.together[kind].push(...many);
    }
  }
  const costs = ({ without, withTallies }: Taken['alone']) => ({
    without: quantile(without, 0.25),
    withTallies: quantile(withTallies, 0.25),
  });
  return { alone: costs(taken.alone), together: costs(taken.together) };
}

type Taken = Record<keyof CreateCosts, Record<keyof CreateCosts['alone'], number[]>>;

async function creates(db: Db, planned: PlannedOrder, count: number, atOnce: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const creator = async () => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      await placeOrder(db, planned, codes);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, creator));
  return times;
}
