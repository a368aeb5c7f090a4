import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { type Actor, accountSeenBy } from '../base/actor.js';
import { invalidField } from '../base/errors.js';
import { isId } from '../base/ids.js';
import { namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { createdNear, recently } from '../db/near.js';
import type { Package } from '../packages/package.js';
import type { PackagePart } from '../packages/package-rows.js';
import { packagesOf } from '../packages/queries.js';
import { filtered, type OrderFilters } from './list-orders.js';
import { type Order, type PricedRow, pricedColumns, toPriced } from './order.js';

/** An order of a page. `packages` is empty unless packages were requested; they have only the requested parts. */
export type PagedOrder = ReturnType<typeof toPriced> & Pick<Order, 'packages'>;

export interface OrdersAfter {
  orders: PagedOrder[];
  cursors: string[];
  hasNextPage: boolean;
}

export interface PageAfter {
  first: number;
  after?: string;
  /** Parts of the packages to read. Undefined: no packages are read. */
  packageParts?: ReadonlySet<PackagePart> | undefined;
  filters?: OrderFilters;
}

const MAX_PACKAGES = 1_000;

const PACKAGES_AT_ONCE = 200;

/**
 * Lists orders after the cursor, newest first. With packages, a page ends before it has more than a thousand of them.
 * Throws VALIDATION_ERROR on `after` for a text that is no cursor of this list.
 */
export async function ordersAfter(db: Db, actor: Actor, page: PageAfter): Promise<OrdersAfter> {
  const { first, packageParts, filters = {} } = page;
  const position = page.after === undefined ? undefined : positionOf(page.after);
  const list = { first, position, filters, until: position?.createdAt ?? filters.createdTo };
  const recent = await readOrders(db, actor, { ...list, since: recently(list.until) });
  const isWhole = recent.orders.length > first || !recent.has_older;
  const { orders: rows } = isWhole ? recent : await readOrders(db, actor, { ...list, since: filters.createdFrom });
  const pageRows = packageParts ? fitting(rows.slice(0, first)) : rows.slice(0, first);
  const packages = packageParts ? await readPackages(db, pageRows, packageParts) : new Map<string, Package[]>();
  const orders = pageRows.map((row) => ({ ...toPriced(row), packages: packages.get(row.id) ?? [] }));
  return { orders, cursors: orders.map(cursorOf), hasNextPage: rows.length > orders.length };
}

type PagedRow = PricedRow & { package_count: number };

/** A page. `has_older` is true if the list may have orders older than those that were read. */
interface PageRead {
  orders: PagedRow[];
  has_older: boolean;
}

interface ListPart {
  first: number;
  position: OrderPosition | undefined;
  filters: OrderFilters;
  until: Date | undefined;
  since: Date | undefined;
}

/** Reads orders, but none older than `since`. */
async function readOrders(
  db: Db,
  actor: Actor,
  { first, position, filters, until, since }: ListPart,
): Promise<PageRead> {
  const older = position
    ? sql`(created_at, id) < (${position.createdAt}::timestamptz, ${position.id}::uuid)`
    : sql`true`;
  const { rows } = await sql<PageRead>`
    select exists (
      select from order_tallies
      where scope = ${accountSeenBy(actor) ?? NIL} and hours = 336 and starts_at < ${since ?? '-infinity'}) as has_older,
      (select coalesce(json_agg(listed order by created_at desc, id desc), '[]') from (
        select ${sql.raw(namesOf(pricedColumns))}, package_count
        from orders where ${filtered(actor, filters)} and ${older} and ${createdNear(since, until)}
        order by created_at desc, id desc limit ${first + 1}) listed) as orders`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a list is missing');
  return row;
}

function fitting(rows: readonly PagedRow[]): PagedRow[] {
  let packages = 0;
  const end = rows.findIndex(({ package_count }, at) => {
    packages += package_count;
    return at > 0 && packages > MAX_PACKAGES;
  });
  return rows.slice(0, end < 0 ? rows.length : end);
}

async function readPackages(
  db: Db,
  rows: readonly PagedRow[],
  parts: ReadonlySet<PackagePart>,
): Promise<Map<string, Package[]>> {
  const packages = new Map<string, Package[]>();
  for (const ids of idLists(rows)) {
    for (const [id, own] of await packagesOf(db, ids, parts)) packages.set(id, own);
  }
  return packages;
}

function idLists(rows: readonly PagedRow[]): string[][] {
  const lists: string[][] = [];
  let room = 0;
  for (const { id, package_count } of rows) {
    if (package_count > room || lists.length === 0) {
      lists.push([]);
      room = PACKAGES_AT_ONCE;
    }
    lists.at(-1)?.push(id);
    room -= package_count;
  }
  return lists;
}

/** The position of an order in a list: newest first, within a millisecond by id. */
interface OrderPosition {
  createdAt: Date;
  id: string;
}

function cursorOf({ createdAt, id }: OrderPosition): string {
  return Buffer.from(`${createdAt.toISOString()}/${id}`).toString('base64url');
}

/** Throws VALIDATION_ERROR on `after` for any text that cursorOf did not make. */
function positionOf(cursor: string): OrderPosition {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('/');
  const createdAt = new Date(time);
  const position = { createdAt, id };
  if (!isId(id) || Number.isNaN(createdAt.getTime()) || cursorOf(position) !== cursor) {
    throw invalidField('after', 'unknown_value', 'is not a cursor of this list');
  }
  return position;
}
