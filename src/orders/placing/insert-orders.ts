import { CompiledQuery } from 'kysely';
import { auditColumns, auditRow } from '../../accounts/audit.js';
import type { NewAuditEntry } from '../../base/actor.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import type { TraceParent } from '../../base/telemetry/tracing.js';
import { definitionOf, namesOf } from '../../db/columns.js';
import type { Db } from '../../db/connect.js';
import { uniqueViolation } from '../../db/errors.js';
import type { SqlTypes } from '../../db/row.js';
import { atomic, RunAgainError } from '../../db/transaction.js';
import { addedPackage, addingPackages, type FirstStatus, newPackageRows } from '../../packages/add-packages.js';
import type { CodeSource, PackageCodes } from '../../packages/codes.js';
import type { NewPackageRow } from '../../packages/package.js';
import { type Pickup, type StopRow, senderColumns, stopColumns, stopRow } from '../../packages/stop.js';
import { FISCAL_KEYS, keepingKeys, someKeyTaken } from '../fiscal-documents.js';
import type { Order, OrderJson } from '../order.js';
import type { PlannedOrder } from '../plan-order.js';

export interface NewOrder {
  id: string;
  planned: PlannedOrder;
  traceparent?: TraceParent | undefined;
  /** The order's entry in the audit log. */
  note?: NewAuditEntry | undefined;
}

export interface InsertOptions {
  codes: CodeSource;
  keys: KeyRing;
  lockTimeoutMs?: number | undefined;
}

/**
 * Writes orders with their packages, first movements, notifications and audit entries, in one statement. The result is
 * undefined for an order whose externalId is taken. Of two orders with one externalId, the first is written.
 */
export function insertOrders(db: Db, orders: readonly NewOrder[], options: InsertOptions) {
  return atomic(db, async (sole) => {
    const rows = rowsOf(orders, await options.codes.take(sole, packagesOf(orders)), options.keys);
    const inserted = await insert(sole, orders, rows, options);
    return orders.map(({ id, planned }, at) => {
      const status = inserted.get(id);
      return status && orderOf(id, planned, rows[at]?.packages ?? [], status);
    });
  });
}

const packagesOf = (orders: readonly NewOrder[]): number =>
  orders.reduce((sum, { planned }) => sum + planned.packages.length, 0);

const orderColumns = {
  id: 'uuid',
  account_id: 'uuid',
  external_id: 'text',
  status: 'text',
  payment_method_id: 'integer',
  rate_card_version: 'integer',
  price_lines: 'jsonb',
  total_centavos: 'bigint',
  distance_metres: 'integer',
  distance_source: 'text',
  pickup_count: 'smallint',
  package_count: 'smallint',
  service: 'text',
  ready_at: 'timestamptz',
} as const satisfies SqlTypes<'orders', 'metadata'>;

const orderColumnNames = namesOf(Object.keys(orderColumns));
const pickupColumnNames = namesOf(['order_id', 'position', ...Object.keys(stopColumns)]);
const auditColumnNames = namesOf(Object.keys(auditColumns));
const senderColumnNames = namesOf(Object.keys(senderColumns));

/** Optional parts of the statement. Only orders that need a part pay for it. */
interface Parts {
  withPins: boolean;
  /** Adds the account's own data: metadata, senders, references. */
  withNames: boolean;
  keys?: 'own' | 'shared' | undefined;
  withNotes: boolean;
}

/**
 * SQL of the insertion. externalIds go in first. A taken one inserts nothing; an error would end the other orders and
 * the caller's transaction. Rows are sorted, so statements with the same externalIds do not deadlock. The lock timeout
 * is set before the first row is read.
 */
const insertionText = ({ withPins, withNames, keys, withNotes }: Parts): string => `
  with order_rows as materialized (
    select order_rows.*
    from (select case when $1::text is not null then set_config('lock_timeout', $1, true) end) limited,
      json_to_recordset($2::json) as order_rows(at smallint, ${definitionOf(orderColumns)}${withNames ? ', metadata jsonb' : ''})
  ), free_ids as (
    insert into order_external_ids (account_id, external_id, order_id)
    select account_id, external_id, id from order_rows
    where external_id is not null
    order by account_id, external_id, at
    on conflict do nothing
    returning order_id
  ), new_orders as (
    insert into orders (${orderColumnNames}${withNames ? ', metadata' : ''})
    select ${orderColumnNames}${withNames ? ', metadata' : ''} from order_rows
    where external_id is null or id in (select order_id from free_ids)
    returning id, account_id, created_at
  ), pickups_inserted as (
    insert into pickups (${pickupColumnNames}${withNames ? `, ${senderColumnNames}` : ''})
    select ${pickupColumnNames}${withNames ? `, ${senderColumnNames}` : ''}
    from new_orders
    join json_to_recordset($3::json) as pickup_rows(order_id uuid, position smallint, ${definitionOf(stopColumns)}${withNames ? `, ${definitionOf(senderColumns)}` : ''})
      on order_id = new_orders.id
  ), ${addingPackages('$4', { withPins, withNames })}${keys ? keepingKeys({ isShared: keys === 'shared' }) : ''}${withNotes ? keepingNotes : ''}
  select new_orders.id, name, public_title as title, description, final, stage, new_orders.created_at as since
  from new_orders, package_statuses where code = 1`;

const keepingNotes = `, notes_kept as (
    insert into audit_log (${auditColumnNames})
    select ${auditColumnNames}
    from json_to_recordset($5::json) as notes(order_id uuid, ${definitionOf(auditColumns)})
    where order_id in (select new_orders.id from new_orders)
  )`;

const texts = new Map<string, string>();

/** Returns the text for these parts. Each text is made once. */
function textOf(parts: Parts): string {
  const name = `${parts.withPins} ${parts.withNames} ${parts.keys} ${parts.withNotes}`;
  const text = texts.get(name) ?? insertionText(parts);
  texts.set(name, text);
  return text;
}

type PickupRow = StopRow & { order_id: string; position: number; sender_name?: string; sender_phone?: string };

interface OrderRows {
  order: OrderJson<keyof typeof orderColumns> & { at: number; metadata?: Readonly<Record<string, string>> };
  pickups: PickupRow[];
  packages: NewPackageRow[];
}

async function insert(
  db: Db,
  orders: readonly NewOrder[],
  rows: readonly OrderRows[],
  { codes, lockTimeoutMs }: InsertOptions,
) {
  const packages = rows.flatMap((row) => row.packages);
  const notes = orders.flatMap(({ id, note }) => (note ? { order_id: id, ...auditRow(note) } : []));
  const values = [
    lockTimeoutMs === undefined ? null : String(lockTimeoutMs),
    JSON.stringify(rows.map(({ order }) => order)),
    JSON.stringify(rows.flatMap(({ pickups }) => pickups)),
    JSON.stringify(packages),
    ...(notes.length > 0 ? [JSON.stringify(notes)] : []),
  ];
  const withPins = packages.some(({ pin }) => pin);
  const withNames = orders.some(hasNames);
  const ofKeys = orders.some(({ planned }) => planned.sharesKeys) ? 'shared' : 'own';
  const keys = packages.some(({ fiscal_key }) => fiscal_key) ? ofKeys : undefined;
  const query = db.executeQuery<FirstStatus & { id: string }>(
    CompiledQuery.raw(textOf({ withPins, withNames, keys, withNotes: notes.length > 0 }), values),
  );
  const result = await query.catch((error: unknown) => {
    const constraint = uniqueViolation(error);
    if (constraint === undefined) throw error;
    // In a batch of several orders, the queue then tries each order alone.
    if (constraint === FISCAL_KEYS) throw someKeyTaken(orders.flatMap(({ planned }) => planned.packages));
    codes.drop(db);
    throw new RunAgainError('other packages have the codes', { cause: error });
  });
  return new Map(result.rows.map(({ id, ...status }): [string, FirstStatus] => [id, status]));
}

function rowsOf(orders: readonly NewOrder[], codes: readonly PackageCodes[], keys: KeyRing): OrderRows[] {
  let codesUsed = 0;
  return orders.map(({ id, planned, traceparent }, at) => {
    const { pickups, packages } = planned;
    const own = codes.slice(codesUsed, codesUsed + packages.length);
    codesUsed += packages.length;
    return {
      order: orderRow(id, planned, at),
      pickups: pickups.map((pickup, position) => pickupRow(id, pickup, position)),
      packages: newPackageRows({ orderId: id, traceparent }, packages, own, keys),
    };
  });
}

const hasNames = ({ planned: { metadata, pickups, packages } }: NewOrder): boolean =>
  metadata !== null ||
  packages.some(({ reference }) => reference !== null) ||
  pickups.some(({ sender }) => sender !== null);

function pickupRow(orderId: string, pickup: Pickup, position: number): PickupRow {
  const row: PickupRow = { order_id: orderId, position, ...stopRow(pickup) };
  if (pickup.sender) row.sender_name = pickup.sender.name;
  if (pickup.sender?.phone !== undefined) row.sender_phone = pickup.sender.phone;
  return row;
}

function orderRow(id: string, planned: PlannedOrder, at: number): OrderRows['order'] {
  const { accountId, externalId, paymentMethodId, pricing, route, pickups, packages } = planned;
  const row: OrderRows['order'] = {
    at,
    id,
    account_id: accountId,
    external_id: externalId,
    status: 'created',
    payment_method_id: paymentMethodId,
    rate_card_version: pricing.rateCardVersion,
    price_lines: pricing.lines,
    total_centavos: pricing.totalCentavos,
    distance_metres: route.distanceMetres,
    distance_source: route.distanceSource,
    pickup_count: pickups.length,
    package_count: packages.length,
    service: planned.service,
    ready_at: planned.readyAt?.toISOString() ?? null,
  };
  if (planned.metadata) row.metadata = planned.metadata;
  return row;
}

function orderOf(id: string, planned: PlannedOrder, rows: readonly NewPackageRow[], status: FirstStatus): Order {
  const { accountId, externalId, paymentMethodId, service, pricing, route, pickups, readyAt, metadata } = planned;
  const owner = { orderId: id, accountId };
  const packages = planned.packages.flatMap((added, at) => {
    const row = rows[at];
    return row ? [addedPackage(added, row, owner, status)] : [];
  });
  const { since: createdAt } = status;
  const head = { id, accountId, externalId, paymentMethodId, createdAt, updatedAt: createdAt };
  const plan = { service, pricing, route, pickups, packages, readyAt, metadata };
  return { ...head, ...plan, status: 'created', version: 1, returnOf: null };
}
