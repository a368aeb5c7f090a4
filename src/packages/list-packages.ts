import { type RawBuilder, sql } from 'kysely';
import { type Actor, accountSeenBy } from '../base/actor.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { type Changes, type ChangesFrom, changedSince } from '../db/lists/changed-since.js';
import { createdBetween } from '../db/lists/tallies.js';
import { createdBefore, idSince, inPartitionsOf, recently } from '../db/near.js';
import { oneRow } from '../db/one-row.js';
import { ownedBy } from '../db/owned-by.js';
import type { DeliveryOutcome } from '../db/tables/movements.js';
import { readings } from '../validation/readings.js';
import type { Package } from './package.js';
import { keysByCode, keysOfCode, orderIdsOf, packagesWhere } from './queries.js';

export interface PackageFilters {
  accountId?: string | undefined;
  orderId?: string | undefined;
  externalId?: string | undefined;
  statusCode?: number | undefined;
  trackingCode?: string | undefined;
  trackingCodes?: readonly string[] | undefined;
  barcode?: string | undefined;
  reference?: string | undefined;
  loggiKeys?: readonly string[] | undefined;
  attemptOutcome?: DeliveryOutcome | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/**
 * Lists packages, newest first. An order, an external id or a code is looked up in an index. Other lists begin with
 * recent packages, because most pages lie in the latest one or two partitions.
 */
export async function listPackages(
  db: Db,
  actor: Actor,
  filters: PackageFilters,
  page: Page,
): Promise<Listed<Package>> {
  const named = await namedBy(db, actor, filters);
  const matching = matchingOf(actor, filters);
  const { keys, total } = named
    ? await readKeys(db, { matching, total: counted(matching, named) }, page, few(named))
    : await readNewest(db, actor, { matching, filters }, page);
  const rows = await packagesWhere(db, keys, sql`p.loggi_key = any(${keys}::uuid[]) ${newestFirst}`);
  return { rows, total };
}

/** Lists packages by their changes, in their present state. A package that changes meanwhile is listed again. */
export async function listChangedPackages(
  db: Db,
  actor: Actor,
  from: ChangesFrom,
  size: number,
): Promise<Changes<Package>> {
  const table = { table: 'packages', key: 'loggi_key', columns: 'loggi_key' } as const;
  const { rows, ...rest } = await changedSince<{ loggi_key: string }>(db, actor, table, from, size);
  const keys = rows.map(({ loggi_key }) => loggi_key);
  const inOrder = sql`p.loggi_key = any(${keys}::uuid[]) order by array_position(${keys}::uuid[], p.loggi_key)`;
  return { rows: await packagesWhere(db, keys, inOrder), ...rest };
}

const newestFirst = sql`order by p.created_at desc, p.loggi_key desc`;

const conjunction = (conditions: readonly RawBuilder<unknown>[]) => sql.join([sql`true`, ...conditions], sql` and `);

/** SQL condition for the packages that the filters name, with their partitions. Undefined if no filter names any. */
export async function namedBy(db: Db, actor: Actor, filters: PackageFilters) {
  const { orderId, externalId, trackingCode, trackingCodes, barcode, reference, loggiKeys } = filters;
  const named = [
    orderId === undefined ? [] : among('p.order_id', [orderId]),
    externalId === undefined ? [] : among('p.order_id', await orderIdsOf(db, actor, externalId)),
    trackingCode === undefined ? [] : among('p.loggi_key', await keysOfCode(db, 'tracking_code', trackingCode)),
    trackingCodes === undefined ? [] : among('p.loggi_key', await keysOfCodes(db, trackingCodes)),
    reference === undefined ? [] : sql`p.reference = ${reference}`,
    barcode === undefined ? [] : among('p.loggi_key', await keysOfCode(db, 'barcode', barcode)),
    loggiKeys === undefined ? [] : among('p.loggi_key', loggiKeys),
  ].flat();
  return named.length > 0 ? conjunction(named) : undefined;
}

/** The tracking codes in a text, separated by commas. */
export const trackingCodesIn = (text: string | undefined): string[] | undefined =>
  text?.split(',').map(readings.tracking_code);

const keysOfCodes = async (db: Db, trackingCodes: readonly string[]): Promise<string[]> => [
  ...(await keysByCode(db, [...trackingCodes], [])).values(),
];

const among = (column: string, ids: readonly string[]): RawBuilder<unknown> =>
  sql`${sql.ref(column)} = any(${ids}::uuid[]) and ${inPartitionsOf('p.loggi_key', ids)}`;

const seenBy = (actor: Actor, { accountId }: PackageFilters): RawBuilder<unknown> =>
  conjunction([ownedBy(actor, 'p.account_id'), ...(accountId === undefined ? [] : [sql`p.account_id = ${accountId}`])]);

export function matchingOf(actor: Actor, filters: PackageFilters): RawBuilder<unknown> {
  const { statusCode, attemptOutcome, createdFrom, createdTo } = filters;
  return conjunction([
    seenBy(actor, filters),
    ...(statusCode === undefined ? [] : [sql`p.status_code = ${statusCode}`]),
    ...(attemptOutcome === undefined ? [] : [sql`p.attempt_outcome = ${attemptOutcome}`]),
    ...(createdFrom === undefined ? [] : [sql`p.created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [createdBefore(createdTo, 'p.created_at', 'p.loggi_key')]),
  ]);
}

interface Selection {
  matching: RawBuilder<unknown>;
  total: RawBuilder<unknown>;
}

/**
 * Finds the named packages before sorting. Otherwise the planner reads an index in the order of creation until it finds
 * them.
 */
const few = (named: RawBuilder<unknown>) => sql`(select * from packages p where ${named} offset 0) p`;

/** Reads the keys of the page and the total, at the same moment. */
async function readKeys(db: Db, { matching, total }: Selection, page: Page, from = sql`packages p`) {
  const listed = sql<{ total: string; keys: string[] | null }>`
    with paged as (
      select p.loggi_key, p.created_at from ${from} where ${matching}
      ${newestFirst} offset ${offsetOf(page)} limit ${page.pageSize})
    select ${total} as total, (select json_agg(p.loggi_key ${newestFirst}) from paged p) as keys`;
  const row = await oneRow(db, listed);
  return { keys: row.keys ?? [], total: Number(row.total) };
}

const counted = (matching: RawBuilder<unknown>, place: RawBuilder<unknown>) =>
  sql`(select count(*) from packages p where ${matching} and ${place})`;

async function readNewest(
  db: Db,
  actor: Actor,
  { matching, filters }: { matching: RawBuilder<unknown>; filters: PackageFilters },
  page: Page,
) {
  const { createdFrom, createdTo } = filters;
  const list = { matching, total: totalOf(actor, matching, filters) };
  const since = (time: Date | undefined) =>
    readKeys(db, { ...list, matching: sql`${matching} and ${keysSince(time)}` }, page);
  const recent = await since(recently(createdTo));
  const isWhole = recent.keys.length === page.pageSize || offsetOf(page) + recent.keys.length >= recent.total;
  return isWhole ? recent : since(createdFrom);
}

/**
 * The total of a list, from tallies. For one status it counts rows, because tallies by status would cost a write at
 * each movement.
 */
function totalOf(actor: Actor, matching: RawBuilder<unknown>, filters: PackageFilters): RawBuilder<unknown> {
  const { accountId = accountSeenBy(actor), statusCode, attemptOutcome, createdFrom, createdTo } = filters;
  if (statusCode !== undefined || attemptOutcome !== undefined) return counted(matching, keysSince(createdFrom));
  const count = (from: Date, to: Date) => sql`
    select count(*) from packages p
    where ${seenBy(actor, filters)} and p.created_at >= ${from} and p.created_at < ${to} and ${keysSince(from)}`;
  return createdBetween({ accountId, tally: sql.ref('packages'), count }, createdFrom, createdTo);
}

/**
 * Limits a query to the partitions of packages created at this time or later. It has no upper bound: with one, a
 * generic plan would prefer the range of keys, and read all packages of a month though the account has few.
 */
const keysSince = (time: Date | undefined) => sql`p.loggi_key >= ${idSince(time)}`;
