import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, type FieldError, invalid, invalidField } from '../../base/errors.js';
import { isId, newId } from '../../base/ids.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import { ownedBy } from '../../db/owned-by.js';
import { row } from '../../db/row.js';
import { transaction } from '../../db/transaction.js';
import type { CodeSource } from '../../packages/codes.js';
import { FIRST_STATUS } from '../../packages/movement.js';
import { type Collection, getCollection, stateOf } from './collection.js';

export interface CollectionInput {
  orderIds?: readonly string[];
  /** The index of a pickup. Only packages of that pickup of the order are listed. */
  pickupIndex?: number;
  loggiKeys?: readonly string[];
}

const MAX_LISTED = 500;

/** First letter of a list's code. It tells scanners that the code is not a package's. */
const PREFIX = 'C';

interface Listable {
  loggiKey: string;
  orderId: string;
  statusCode: number;
  accountId: string;
  isListed: boolean;
}

/**
 * Lists packages of the actor that are in status 1. A package is on one open list at most. For a whole order, packages
 * in other statuses are left out; for packages by name they are an error. Throws VALIDATION_ERROR and CONFLICT.
 */
export async function createCollection(
  db: Db,
  codes: CodeSource,
  actor: Actor,
  input: CollectionInput,
): Promise<Collection> {
  checkInput(input);
  return transaction(db, async (trx) => {
    const packages = input.loggiKeys
      ? await packagesNamed(trx, actor, input.loggiKeys)
      : await packagesOfOrders(trx, actor, input);
    const [first] = packages;
    if (!first) throw conflict('package_state', `No package of these orders is in status ${FIRST_STATUS}.`);
    if (packages.length > MAX_LISTED)
      throw invalidField(
        input.loggiKeys ? 'loggiKeys' : 'orderIds',
        'too_many',
        `have more than ${MAX_LISTED} packages`,
      );
    if (packages.some(({ accountId }) => accountId !== first.accountId))
      throw invalidField('loggiKeys', 'contradiction', 'are of more than one account');
    const id = newId();
    const [made] = await codes.take(trx, 1);
    if (!made) throw new Error('there is no code for a collection list');
    const list = row<'collections'>({
      ...{ id, account_id: first.accountId, code: PREFIX + made.trackingCode, package_count: packages.length },
      ...{ received_by: null, city: null, state: null, extra_codes: null, fingerprint: null },
    });
    await trx.insertInto('collections').values(list).execute();
    await addPackages(trx, id, packages);
    return getCollection(trx, actor, { id });
  });
}

function checkInput({ orderIds, pickupIndex, loggiKeys }: CollectionInput): void {
  if ((orderIds === undefined) === (loggiKeys === undefined))
    throw invalidField('orderIds', 'contradiction', 'must be given, or loggi_keys, and not both');
  if (pickupIndex !== undefined && orderIds?.length !== 1)
    throw invalidField('pickupIndex', 'not_allowed', 'is for a list of one order');
}

const listable = sql`
  p.loggi_key as "loggiKey", p.order_id as "orderId", p.status_code as "statusCode", p.account_id as "accountId",
  exists (select from collection_packages listed where listed.loggi_key = p.loggi_key and is_open) as "isListed"`;

async function packagesNamed(trx: Db, actor: Actor, names: readonly string[]): Promise<Listable[]> {
  const keys = [...new Set(names.map((name) => name.toLowerCase()))];
  const known = keys.filter(isId);
  const { rows } = await sql<Listable>`
    select ${listable} from packages p
    where p.loggi_key = any(${known}::uuid[]) and ${inPartitionsOf('p.loggi_key', known)} and ${ownedBy(actor, 'p.account_id')}
    order by array_position(${known}::uuid[], p.loggi_key)`.execute(trx);
  const byKey = new Map(rows.map((each) => [each.loggiKey, each]));
  const absent = names.flatMap((name, at): FieldError[] =>
    byKey.has(name.toLowerCase()) ? [] : [{ field: `loggiKeys.${at}`, code: 'not_found', message: 'is not a package' }],
  );
  if (absent.length > 0) throw invalid(absent);
  const refused = (field: (each: Listable) => boolean, message: string) =>
    names.flatMap((name, at): FieldError[] => {
      const named = byKey.get(name.toLowerCase());
      return named && field(named) ? [{ field: `loggiKeys.${at}`, code: 'state', message }] : [];
    });
  const moved = refused(({ statusCode }) => statusCode !== FIRST_STATUS, `is not in status ${FIRST_STATUS}`);
  if (moved.length > 0)
    throw conflict('package_state', `Only packages in status ${FIRST_STATUS} are listed.`, { details: moved });
  const listed = refused(({ isListed }) => isListed, 'stands on another open list');
  if (listed.length > 0) throw packageListed(listed);
  return rows;
}

async function packagesOfOrders(trx: Db, actor: Actor, { orderIds = [], pickupIndex }: CollectionInput) {
  const ids = [...new Set(orderIds.map((id) => id.toLowerCase()))].filter(isId);
  const { rows } = await sql<Listable>`
    select ${listable} from unnest(${ids}::uuid[]) with ordinality as wanted (id, at)
    cross join lateral (
      select * from packages where order_id = wanted.id and ${inPartitionsOf('loggi_key', ids)}
        and ${ownedBy(actor, 'account_id')} and ${pickupIndex ?? null}::integer is not distinct from
          case when ${pickupIndex ?? null}::integer is null then null else pickup_position end
      offset 0) p
    order by wanted.at, p.position`.execute(trx);
  const known = new Set(rows.map(({ orderId }) => orderId));
  const absent = orderIds.flatMap((id, at): FieldError[] =>
    known.has(id.toLowerCase()) ? [] : [{ field: `orderIds.${at}`, code: 'not_found', message: 'is not an order' }],
  );
  if (absent.length > 0) throw invalid(absent);
  const waiting = rows.filter(({ statusCode }) => statusCode === FIRST_STATUS);
  const listed = new Set(waiting.flatMap(({ isListed, orderId }) => (isListed ? orderId : [])));
  const taken = orderIds.flatMap((id, at): FieldError[] =>
    listed.has(id.toLowerCase())
      ? [{ field: `orderIds.${at}`, code: 'state', message: 'has a package on another open list' }]
      : [],
  );
  if (taken.length > 0) throw packageListed(taken);
  return waiting;
}

const packageListed = (details: FieldError[] = []) =>
  conflict('package_listed', 'A package stands on another open collection list.', { details });

/** Adds the packages. If two lists are made at once, the unique index refuses the second. */
async function addPackages(trx: Db, id: string, packages: readonly Listable[]): Promise<void> {
  const rows = packages.map(({ loggiKey, orderId }, position) => ({ loggiKey, orderId, position }));
  const added = await sql`
    insert into collection_packages (collection_id, position, loggi_key, order_id)
    select ${id}::uuid, position, "loggiKey", "orderId"
    from json_to_recordset(${JSON.stringify(rows)}::json) as rows("loggiKey" uuid, "orderId" uuid, position smallint)
    order by "loggiKey"
    on conflict (loggi_key) where is_open do nothing`.execute(trx);
  if (Number(added.numAffectedRows ?? 0) < packages.length) throw packageListed();
}

/** Ends an open list. Its packages stay unchanged. Throws NOT_FOUND, and CONFLICT if the list was received. */
export function cancelCollection(db: Db, actor: Actor, id: string): Promise<Collection> {
  return transaction(db, async (trx) => {
    if (isId(id)) await sql`select from collections where id = ${id} for no key update`.execute(trx);
    const before = await getCollection(trx, actor, { id });
    const state = stateOf(before.list);
    if (state === 'received') throw conflict('collection_state', 'The courier has the list already.');
    if (state === 'cancelled') return before;
    await sql`update collections set cancelled_at = now() where id = ${id}`.execute(trx);
    await sql`update collection_packages set is_open = false where collection_id = ${id}`.execute(trx);
    return getCollection(trx, actor, { id });
  });
}
