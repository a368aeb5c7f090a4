import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { systemClock } from '../../src/base/clock.js';
import { newId } from '../../src/base/ids.js';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { type ConnectOptions, connect, type Db } from '../../src/db/connect.js';
import { fingerprintOf } from '../../src/idempotency/once.js';
import type { Scope } from '../../src/idempotency/stored-answers.js';
import type { Order, OrderInput, PackageInput } from '../../src/orders/order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { externalIdTaken, type PlannedOrder, type PlanOrderDeps, planOrder } from '../../src/orders/plan-order.js';
import { createCodeSource } from '../../src/packages/codes.js';
import type { NewMovement } from '../../src/packages/movement.js';
import { createPlanning } from '../../src/routing/planning.js';
import { makeAccount } from './accounts-fixtures.js';

/** A pool like that of another process, with timeouts for a busy machine. */
export const another = (url: string, applicationName = 'another', options: Partial<ConnectOptions> = {}): Db =>
  connect({
    ...{ url, applicationName, poolSize: 5, connectionTimeoutMs: 20_000, log: createLog({ level: 'silent' }) },
    ...options,
  });

export const repeated = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export const operator: Actor = { accountId: newId(), role: 'operator' };

const planning = createPlanning({ log: createLog({ level: 'silent' }) });

export const planDeps = (db: Db): PlanOrderDeps => ({ db, planning, clock: systemClock });

const cities = ['São Paulo', 'Campinas', 'Santos', 'Sorocaba', 'Jundiaí', 'Guarulhos', 'Osasco', 'Ribeirão Preto'];

const address = (at: number) => ({
  address: `Rua XV de Novembro, ${at + 1} - Centro, ${cities[at % cities.length]} - SP`,
});

export const packageInput = (at = 0): PackageInput => ({
  pickupIndex: 0,
  recipient: { name: `Bruno ${at}`, phone: '+55 11 98888-7777' },
  address: address(at),
  dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
});

/** The input of an order. Its packages are collected at its pickups in turn. Needs `packages` ≥ `pickups`. */
export const orderInput = (packages = 1, pickups = 1): OrderInput => ({
  pickups: Array.from({ length: pickups }, (_, at) => ({ address: address(at + 3) })),
  packages: Array.from({ length: packages }, (_, at) => ({ ...packageInput(at), pickupIndex: at % pickups })),
});

export const codeRing: KeyRing = [{ id: 'test', secret: Buffer.alloc(32, 7) }];

export const codes = createCodeSource(codeRing);

/** Writes one order by itself. If `db` is a transaction, the order is part of it. */
export async function placeOrder(db: Db, planned: PlannedOrder): Promise<Order> {
  const [order] = await insertOrders(db, [{ id: newId(), planned }], { codes, keys: codeRing });
  if (!order) throw externalIdTaken();
  return order;
}

export async function makeOrder(db: Db, accountId: string, packages = 1): Promise<Order> {
  return placeOrder(db, await planOrder(planDeps(db), accountId, orderInput(packages)));
}

/** Makes a customer with an order of this number of packages. */
export async function makeOrdered(db: Db, packages = 1): Promise<{ owner: Actor; order: Order; keys: string[] }> {
  const { id } = await makeAccount(db);
  const order = await makeOrder(db, id, packages);
  return { owner: { accountId: id, role: 'customer' }, order, keys: order.packages.map(({ loggiKey }) => loggiKey) };
}

/** Moves the creation of an order back by `seconds`. */
export async function age(db: Db, orderId: string, seconds: number): Promise<void> {
  await sql`
    with aged as (
      update packages set
        created_at = created_at - make_interval(secs => ${seconds}), status_since = status_since - make_interval(secs => ${seconds})
      where order_id = ${orderId}
      returning loggi_key)
    update movements set happened_at = happened_at - make_interval(secs => ${seconds})
    where loggi_key in (select loggi_key from aged)`.execute(db);
}

export const movement = (loggiKey: string, statusCode: number, more: Partial<NewMovement> = {}): NewMovement => ({
  id: newId(),
  loggiKey,
  statusCode,
  happenedAt: new Date().toISOString(),
  location: { city: 'Campinas', state: 'SP' },
  ...more,
});

/** The time `seconds` from now, as RFC 3339. */
export const secondsFromNow = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** The same database, which counts the statements sent through it, without BEGIN and COMMIT. */
export function counting(db: Db): { db: Db; statements: () => number } {
  let sent = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      sent += 1;
      return result;
    },
  });
  return { db: counted, statements: () => sent };
}

/** Adds a proof, a picture and a PIN with any contents. */
export async function keepProofs(db: Db, { id, packages: [first] }: Order): Promise<void> {
  const row = { loggi_key: first?.loggiKey ?? '', order_id: id };
  const sealed = Buffer.alloc(1);
  const proof = { ...row, movement_id: id, facts: sealed };
  const picture = { ...row, kind: 'photo', media_type: 'image/png', size: 1, sealed } as const;
  const pin = { ...row, pin: sealed, overridden_at: new Date(), override_reason: 'lost' };
  await db.insertInto('delivery_proofs').values(proof).execute();
  await db.insertInto('delivery_pictures').values(picture).execute();
  await db.insertInto('delivery_pins').values(pin).execute();
}

/** The packages that have a proof, a picture and a PIN. */
export async function proofsLeft(db: Db): Promise<string[]> {
  const { rows } = await sql<{ loggi_key: string }>`
    select loggi_key from delivery_proofs natural join delivery_pictures natural join delivery_pins`.execute(db);
  return rows.map(({ loggi_key }) => loggi_key);
}

/** The number of rows of these tables and their partitions that the transaction has read. */
export async function rowsRead(trx: Db, ...tables: string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_xact_user_tables
    where relname like any(${tables.map((table) => `${table}%`)}::text[])`.execute(trx);
  return rows[0]?.count ?? Number.NaN;
}

/** The scope of an idempotency key of a request that creates an order. */
export const scopeOf = ({ accountId }: { accountId: string }, key: string): Scope => ({
  ...{ accountId, operation: 'createOrder', key, interfaceName: 'rest', keys: codeRing },
  fingerprint: fingerprintOf({ key }),
});

/** The code of a refusal, and the refused field. */
export const codesOf = (error: unknown): string =>
  [error, Reflect.get(Object(error), 'cause')].flatMap((each) => Reflect.get(Object(each), 'code') ?? []).join(' for ');
