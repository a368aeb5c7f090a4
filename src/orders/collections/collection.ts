import { type Selectable, sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { notFound } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { Listed, Page } from '../../base/page.js';
import type { Db } from '../../db/connect.js';
import { readPage } from '../../db/lists/read-page.js';
import { inPartitionsOf } from '../../db/near.js';
import { ownedBy } from '../../db/owned-by.js';
import type { ListedOutcome } from '../../db/tables/collections.js';
import type { Database } from '../../db/tables/database.js';

/**
 * # How packages are handed over together
 *
 * - An account lists packages in status 1 (create.ts). A unique index keeps a package to one open list.
 * - Its sheet (labels/collection-sheet.ts) shows the code of the list, a line for each package, and a place to sign.
 * - The courier scans that code and the packages. `receive.ts` records in one transaction who was there, and the list
 *   is not open any more.
 *
 * Promised: a receipt is recorded once, however often it is sent, and as a whole. Not promised: that a package stays in
 * status 1 while it is listed; one that was cancelled is refused at the receipt.
 */

export type CollectionState = 'open' | 'received' | 'cancelled';

/** A collection list as lists show it. */
export type CollectionRow = Selectable<Database['collections']> & CollectionCounts & { sender: string };

interface CollectionCounts {
  collected: number;
  missing: number;
  refused: number;
}

export interface ListedPackage {
  loggiKey: string;
  orderId: string;
  trackingCode: string;
  barcode: string;
  reference: string | null;
  externalId: string | null;
  recipientName: string;
  city: string;
  state: string;
  postalCode: string | null;
  weight: number;
  outcome: ListedOutcome | null;
}

export interface Collection {
  list: CollectionRow;
  /** In the order of the sheet. */
  packages: ListedPackage[];
}

export interface CollectionFilters {
  accountId?: string | undefined;
  state?: CollectionState | undefined;
}

const counted = (outcome: ListedOutcome) => sql<number>`(
  select count(*)::integer from collection_packages listed
  where listed.collection_id = collections.id and listed.outcome = ${sql.lit(outcome)})`;

const described = (db: Db) =>
  db
    .selectFrom('collections')
    .selectAll('collections')
    .select([
      counted('collected').as('collected'),
      counted('missing').as('missing'),
      counted('refused').as('refused'),
      sql<string>`(select name from accounts where accounts.id = collections.account_id)`.as('sender'),
    ]);

const isIn = (state: CollectionState) => {
  if (state === 'received') return sql<boolean>`received_at is not null`;
  return state === 'cancelled'
    ? sql<boolean>`cancelled_at is not null`
    : sql<boolean>`received_at is null and cancelled_at is null`;
};

export const stateOf = ({ received_at, cancelled_at }: CollectionRow): CollectionState => {
  if (received_at) return 'received';
  return cancelled_at ? 'cancelled' : 'open';
};

/** Lists collection lists, newest first. */
export function listCollections(
  db: Db,
  actor: Actor,
  { accountId, state }: CollectionFilters,
  page: Page,
): Promise<Listed<CollectionRow>> {
  let matching = described(db).where(ownedBy(actor, 'account_id'));
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  if (state !== undefined) matching = matching.where(isIn(state));
  return readPage(db, matching.orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

export type CollectionName = { id: string } | { code: string };

/** Reads a collection list. Throws NOT_FOUND. */
export async function getCollection(db: Db, actor: Actor, name: CollectionName): Promise<Collection> {
  if ('id' in name && !isId(name.id)) throw notFound('collection list');
  const named = 'id' in name ? sql<boolean>`id = ${name.id}` : sql<boolean>`code = ${name.code}`;
  const list = await described(db).where(named).where(ownedBy(actor, 'account_id')).executeTakeFirst();
  if (!list) throw notFound('collection list');
  return { list, packages: await packagesOn(db, list.id) };
}

/** The packages on a list, without those that retention has dropped. */
async function packagesOn(db: Db, id: string): Promise<ListedPackage[]> {
  const listed = await db
    .selectFrom('collection_packages')
    .select(['loggi_key', 'order_id', 'outcome'])
    .where('collection_id', '=', id)
    .orderBy('position')
    .execute();
  const keys = listed.map(({ loggi_key }) => loggi_key);
  const orderIds = [...new Set(listed.map(({ order_id }) => order_id))];
  const { rows } = await sql<Omit<ListedPackage, 'outcome'>>`
    select
      p.loggi_key as "loggiKey", p.order_id as "orderId", p.tracking_code as "trackingCode", p.barcode, p.reference,
      o.external_id as "externalId", p.recipient_name as "recipientName", p.city, p.state,
      p.postal_code as "postalCode", p.weight
    from packages p join orders o on o.id = p.order_id
    where p.loggi_key = any(${keys}::uuid[]) and ${inPartitionsOf('p.loggi_key', keys)}
      and o.id = any(${orderIds}::uuid[]) and ${inPartitionsOf('o.id', orderIds)}`.execute(db);
  const byKey = new Map(rows.map((each) => [each.loggiKey, each]));
  return listed.flatMap(({ loggi_key, outcome }) => {
    const carried = byKey.get(loggi_key);
    return carried ? [{ ...carried, outcome }] : [];
  });
}

/** A collection list in the form of the contracts of REST and of the operator's interface. */
export const collectionBody = (list: CollectionRow) => ({
  id: list.id,
  user_id: list.account_id,
  code: list.code,
  state: stateOf(list),
  package_count: list.package_count,
  created_at: list.created_at.toISOString(),
  cancelled_at: list.cancelled_at?.toISOString(),
  receipt: receiptBody(list),
});

function receiptBody(list: CollectionRow) {
  const { happened_at: happenedAt, received_at: receivedAt, city, state, extra_codes: extraCodes } = list;
  if (!happenedAt || !receivedAt) return undefined;
  const { collected, missing, refused } = list;
  return {
    happened_at: happenedAt.toISOString(),
    recorded_at: receivedAt.toISOString(),
    location: city !== null && state !== null ? { city, state } : undefined,
    ...{ collected, missing, refused },
    extra_codes: extraCodes ?? [],
  };
}

/** A collection list with its packages, in the form of both contracts. */
export const collectionDetailBody = ({ list, packages }: Collection) => ({
  ...collectionBody(list),
  packages: packages.map((each) => ({
    loggi_key: each.loggiKey,
    order_id: each.orderId,
    tracking_code: each.trackingCode,
    barcode: each.barcode,
    reference: each.reference ?? undefined,
    city: each.city,
    state: each.state,
    outcome: each.outcome ?? undefined,
  })),
});
