import { sql } from 'kysely';
import { NIL } from 'uuid';
import { DAY_MS } from '../base/clock.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { eraseRecipientColumns } from '../db/erase.js';
import { inPartitionsOf } from '../db/near.js';
import { type OrderStatus, orderStatuses } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { toOperators, withdrawAnswers } from '../idempotency/stored-answers.js';
import { lockPackagesOf } from '../packages/erase-packages.js';

export interface Erasable {
  orders: number;
  pickups: number;
  packages: number;
  /** True if counting stopped early, so there may be more. */
  more: boolean;
}

interface Row {
  id: string;
  /** The time as a text, because a Date would lose its microseconds. */
  created: string;
  pickup_count: number;
  package_count: number;
  due: boolean;
}

const finalStatuses = ['completed', 'cancelled'] as const;
const start = { created: '-infinity', id: NIL };
const PAGE_SIZE = 1_000;
const MAX_PAGES_COUNTED = 500;

/** Bounds of finished orders: final before `before`, or without a change for `lostAfterDays` days before that time. */
export interface Finished {
  before: Date;
  lostAfterDays: number;
}

/** The statuses of finished orders. If packages can count as lost, any status. */
const statusesOf = ({ lostAfterDays }: Finished): readonly OrderStatus[] =>
  lostAfterDays === 0 ? finalStatuses : orderStatuses;

/** True for orders with recipients, or with texts that were written after the erasure. */
const unerased = sql`(recipients_erased_at is null or recipients_erased_at < updated_at)`;

/** Pages of orders of one status. Most orders may have been erased long ago; each page yields only those to erase. */
async function* pagesOf(db: Db, status: OrderStatus, { before: end, lostAfterDays }: Finished) {
  // An order without a change for this long counts as finished.
  const before = isFinal(status) ? end : new Date(end.getTime() - lostAfterDays * DAY_MS);
  let last: Pick<Row, 'created' | 'id'> | undefined = start;
  while (last) {
    const { rows }: { rows: Row[] } = await sql<Row>`
      select id, created_at::text as created, pickup_count, package_count, updated_at < ${before} and ${unerased} as due
      from orders
      where status = ${status} and created_at < ${before}
        and (created_at, id) > (${last.created}::timestamptz, ${last.id}::uuid)
      order by created_at, id limit ${PAGE_SIZE}`.execute(db);
    yield rows.filter(({ due }) => due);
    last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined;
  }
}

const isFinal = (status: OrderStatus): boolean => finalStatuses.some((each) => each === status);

/** Counts the orders that `eraseRecipients` would erase, among the oldest 500 000 of each status. */
export async function countErasable(db: Db, finished: Finished): Promise<Erasable> {
  const total: Erasable = { orders: 0, pickups: 0, packages: 0, more: false };
  for (const status of statusesOf(finished)) {
    let pages = 0;
    for await (const rows of pagesOf(db, status, finished)) {
      for (const row of rows) {
        total.orders += 1;
        total.pickups += row.pickup_count;
        total.packages += row.package_count;
      }
      pages += 1;
      if (pages < MAX_PAGES_COUNTED) continue;
      total.more = true;
      break;
    }
  }
  return total;
}

const AT_ONCE = 50;

/**
 * Erases recipients and addresses of finished orders. Yields the number of orders after each transaction, and 0 after a
 * page without any. Running it again changes nothing.
 */
export async function* eraseRecipients(db: Db, keys: KeyRing, finished: Finished): AsyncGenerator<number> {
  for (const status of statusesOf(finished)) {
    for await (const rows of pagesOf(db, status, finished)) {
      for (let at = 0; at < rows.length; at += AT_ONCE) {
        const ids = rows.slice(at, at + AT_ONCE).map(({ id }) => id);
        await eraseOrders(db, keys, ids);
        yield ids.length;
      }
      if (rows.length === 0) yield 0;
    }
  }
}

// Model: Erasure!EraseOrder (lab/models)
async function eraseOrders(db: Db, keys: KeyRing, ids: readonly string[]): Promise<void> {
  await withdrawAnswers(db, keys, answersTo(ids), new Set(ids));
  const records = new Set([...ids, ...(await packageKeysOf(db, ids))]);
  await withdrawAnswers(db, keys, toChangesOf(ids), records);
  await withdrawAnswers(db, keys, toChangesByOperators, records);
  await transaction(db, async (trx) => {
    await eraseRecipientColumns(trx, ids, await lockPackagesOf(trx, ids));
    // The record looks different now, so its version grows. The time at which it was finished stays.
    await sql`
      update orders set recipients_erased_at = now(), version = version + 1
      where id = any(${ids}::uuid[]) and ${inPartitionsOf('id', ids)} and ${unerased}`.execute(trx);
  });
}

/** Kept answers to createOrder. The transaction of an order stores its answer, so both have the same rounded time. */
const answersTo = (ids: readonly string[]) => sql`kept.ctid = any(array(
  select twin.ctid from orders o cross join lateral (
    select ctid, account_id, operation from idempotency_keys
    where created_at between o.created_at - interval '1 millisecond' and o.created_at + interval '1 millisecond'
    order by created_at offset 0) twin
  where o.id = any(${ids}::uuid[]) and ${inPartitionsOf('o.id', ids)} and twin.account_id = o.account_id and twin.operation = 'createOrder'))`;

/** Operations on existing orders whose answers show recipients. An operator's entry begins with the operation. */
const changes = sql`(kept.operation in ('answerActionRequired', 'createPackageRequest', 'cancelPackage', 'changeAddress', 'returnPackage')
  or kept.operation ~ '^(cancelPackageForShipper|changeAddressForShipper|completeTask|reopenPackage)')`;

const toChangesOf = (ids: readonly string[]) => sql`${changes} and kept.account_id in (
  select o.account_id from orders o where o.id = any(${ids}::uuid[]) and ${inPartitionsOf('o.id', ids)})`;

const toChangesByOperators = sql`${changes} and ${toOperators}`;

async function packageKeysOf(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ loggi_key: string }>`
    select loggi_key from packages
    where order_id = any(${ids}::uuid[]) and ${inPartitionsOf('loggi_key', ids)}`.execute(db);
  return rows.map(({ loggi_key }) => loggi_key);
}
