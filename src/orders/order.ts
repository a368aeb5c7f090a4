import { sql } from 'kysely';
import { type Actor, accountSeenBy } from '../base/actor.js';
import type { Dimensions } from '../base/dimensions.js';
import { isId } from '../base/ids.js';
import { type Centavos, formatMoney } from '../base/money.js';
import type { DistanceSource } from '../base/place.js';
import type { Pricing } from '../carrier/pricing.js';
import { type JsonRow, namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf, statementInPartitions } from '../db/near.js';
import { shareRead } from '../db/share-read.js';
import type { OrderStatus, Orders, Pickups } from '../db/tables/database.js';
import type { Service } from '../db/tables/prices.js';
import { type Package, type PackageItem, toPackage } from '../packages/package.js';
import { type PackageRow, packageRows } from '../packages/package-rows.js';
import type { FiscalDocument, Recipient } from '../packages/recipient.js';
import { type Address, type Pickup, type Sender, toPickup } from '../packages/stop.js';

export type { Pricing } from '../carrier/pricing.js';
export type { PriceLine } from '../db/tables/changes.js';
export type { OrderStatus } from '../db/tables/database.js';

/** The input of createOrder. The contracts check the bounds of its shape. */
export interface OrderInput {
  /** Default: the account's first one. */
  paymentMethodId?: number;
  /** An empty text counts as left out. */
  externalId?: string;
  service?: Service;
  /** The total that the client expects. The order is refused if its total differs. */
  expectedCentavos?: Centavos;
  /** The time from which the packages can be collected. Default: now. */
  readyAt?: Date | null;
  /** The account's own facts, by key. */
  metadata?: readonly (readonly [key: string, value: string])[];
  pickups: readonly PickupInput[];
  packages: readonly PackageInput[];
}

export interface PickupInput {
  address: Address;
  instructions?: string;
  /** Default: the account. */
  sender?: Sender | null;
}

/** A package has either `dimensions` or `items`. An empty list of items counts as left out. */
export interface PackageInput {
  pickupIndex: number;
  recipient: Recipient;
  address: Address;
  instructions?: string;
  dimensions?: Dimensions;
  items?: readonly PackageItem[];
  deliveryPin?: boolean;
  declaredCentavos?: Centavos | null;
  fiscalDocument?: FiscalDocument | null;
  /** `YYYY-MM-DD`: the first and the last day for the delivery. */
  deliverFrom?: string | null;
  deliverBy?: string | null;
  /** The account's own name of the package. An empty text counts as left out. */
  reference?: string | null;
}

/** The account's own facts about an order, by key. */
export type Metadata = Readonly<Record<string, string>>;

export interface OrderRoute {
  distanceMetres: number;
  distanceSource: DistanceSource;
}

/** An order. Stops and packages are in the order of the input. `version` grows with every visible change. */
export interface Order {
  id: string;
  accountId: string;
  externalId: string | null;
  status: OrderStatus;
  paymentMethodId: number;
  service: Service;
  pricing: Pricing;
  route: OrderRoute;
  createdAt: Date;
  updatedAt: Date;
  pickups: Pickup[];
  packages: Package[];
  version: number;
  returnOf: string | null;
  readyAt: Date | null;
  metadata: Metadata | null;
}

export const summaryColumns = [
  ...(['id', 'account_id', 'external_id', 'status', 'payment_method_id', 'total_centavos'] as const),
  ...(['pickup_count', 'package_count', 'ready_at', 'metadata', 'created_at', 'updated_at'] as const),
] as const;

/** Columns of an order, with the types of JSON. */
export type OrderJson<Column extends keyof Orders> = JsonRow<Pick<Orders, Exclude<Column, 'total_centavos'>>> & {
  total_centavos: number;
};

/** An order in a list: its row as JSON. */
export type OrderSummary = OrderJson<(typeof summaryColumns)[number]>;

/** Parses the ready time of a row. */
const toReadyTime = ({ ready_at: time }: { ready_at: string | null }): Date | null =>
  time === null ? null : new Date(time);

/** An order in a list, with its price if that was requested. */
export type PricedSummary = OrderSummary & { priced?: { service: Service; pricing: Pricing } | undefined };

/** An order in a list, in the form of the contracts of REST and of the operator's interface. */
export const orderSummaryBody = ({ priced, ...order }: PricedSummary) => ({
  id: order.id,
  user_id: order.account_id,
  external_id: order.external_id,
  status: order.status,
  payment_method_id: order.payment_method_id,
  total: formatMoney(order.total_centavos),
  pickup_count: order.pickup_count,
  package_count: order.package_count,
  ready_at: toReadyTime(order)?.toISOString(),
  metadata: order.metadata ?? undefined,
  service: priced?.service,
  pricing: priced && pricingBody(priced.pricing),
  created_at: new Date(order.created_at).toISOString(),
  updated_at: new Date(order.updated_at).toISOString(),
});

/** The price of an order in the form of both contracts. Only an estimate has `until`: an order keeps its price. */
export const pricingBody = ({ totalCentavos, rateCardVersion, lines }: Pricing, until: Date | null = null) => ({
  total: formatMoney(totalCentavos),
  rate_card_version: rateCardVersion,
  lines: lines.map(({ kind, quantity, unitPrice, amount }) => {
    return { kind, quantity, unit_price: formatMoney(unitPrice), amount: formatMoney(amount) };
  }),
  valid_until: until?.toISOString(),
});

export const pricedColumns = [
  ...(['id', 'external_id', 'status', 'created_at', 'ready_at', 'metadata', 'service'] as const),
  ...(['total_centavos', 'rate_card_version', 'price_lines', 'distance_metres', 'distance_source'] as const),
] as const;

export type PricedRow = OrderJson<(typeof pricedColumns)[number]>;

export const toPriced = (row: PricedRow) => ({
  id: row.id,
  externalId: row.external_id,
  status: row.status,
  createdAt: new Date(row.created_at),
  readyAt: toReadyTime(row),
  metadata: row.metadata,
  service: row.service,
  pricing: { totalCentavos: row.total_centavos, rateCardVersion: row.rate_card_version, lines: row.price_lines },
  route: { distanceMetres: row.distance_metres, distanceSource: row.distance_source },
});

const wholeColumns = [...pricedColumns, 'account_id', 'payment_method_id', 'updated_at', 'version'] as const;

type OrderRow = OrderJson<(typeof wholeColumns)[number]> & {
  return_of: string | null;
  pickups: JsonRow<Pickups>[];
  packages: PackageRow[];
};

export const getOrder = async (db: Db, actor: Actor, id: string): Promise<Order | undefined> =>
  (await getOrderUnless(db, actor, id))?.order;

/** Reads an order. If the client's version is current, reads only the version. */
export async function getOrderUnless(db: Db, actor: Actor, id: string, knownVersion?: number) {
  if (!isId(id)) return undefined;
  const { version, order } = await readOrder(db, { id, accountId: accountSeenBy(actor), knownVersion });
  return version === null ? undefined : { version, order: order ? toOrder(order) : undefined };
}

// The statement returns JSON, with times as texts, because the driver would parse every column.
const wholeOrders = statementInPartitions(
  (inPartitions) => sql`
  select o.version, case when o.version = wanted.version then null else (
    select to_json(whole) from (
      select
        ${sql.raw(namesOf(wholeColumns, 'o'))},
        (select r.loggi_key from package_returns r where r.order_id = o.id) as return_of,
        (select json_agg(u order by u.position) from pickups u
          where u.order_id = o.id and ${inPartitions('u.order_id')}) as pickups,
        (select json_agg(packed order by packed.position) from (
          ${packageRows(inPartitions)} where p.order_id = o.id and ${inPartitions('p.loggi_key')}) packed) as packages
      where o.id is not null) whole) end as "order"
  from unnest($1::uuid[], $2::uuid[], $3::integer[]) with ordinality as wanted (id, account_id, version, at)
  left join lateral (
    select * from orders
    where id = wanted.id and ${inPartitions('id')} and (wanted.account_id is null or account_id = wanted.account_id)
    limit 1) o on true
  order by wanted.at`,
);

const MAX_TOGETHER = 8;

const readOrder = shareRead(
  async (db, wanted: readonly { id: string; accountId?: string | undefined; knownVersion?: number | undefined }[]) => {
    const ids = wanted.map(({ id }) => id);
    const query = wholeOrders(ids, [
      ids,
      wanted.map(({ accountId }) => accountId ?? null),
      wanted.map(({ knownVersion }) => knownVersion ?? null),
    ]);
    return (await db.executeQuery<{ version: number | null; order: OrderRow | null }>(query)).rows;
  },
  { max: MAX_TOGETHER },
);

const toOrder = (row: OrderRow): Order => ({
  ...toPriced(row),
  accountId: row.account_id,
  paymentMethodId: row.payment_method_id,
  updatedAt: new Date(row.updated_at),
  version: row.version,
  returnOf: row.return_of,
  pickups: row.pickups.map(toPickup),
  packages: row.packages.map(toPackage),
});

/** Parts of an order that are shown with its packages. */
export interface OrderTerms {
  service: Service;
  readyAt: Date | null;
}

/** The terms of these orders, by their ids. */
export async function termsOf(db: Db, ids: readonly string[]): Promise<Map<string, OrderTerms>> {
  const { rows } = await sql<OrderTerms & { id: string }>`
    select id, service, ready_at as "readyAt" from orders
    where id = any(${ids}::uuid[]) and ${inPartitionsOf('id', ids)}`.execute(db);
  return new Map(rows.map(({ id, ...terms }) => [id, terms]));
}
