import { type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import type { Dimensions } from '../base/dimensions.js';
import { isId } from '../base/ids.js';
import type { DistanceSource } from '../base/place.js';
import { type JsonRow, namesOf } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { ownedBy } from '../db/owned-by.js';
import type { OrderStatus, Orders, Pickups, PriceLine } from '../db/tables.js';
import {
  type Package,
  type PackageItem,
  type PackageRow,
  packageRows,
  type Recipient,
  toPackage,
} from '../packages/package.js';
import { type Address, type Stop, toStop } from '../packages/stop.js';

export type { OrderStatus, PriceLine } from '../db/tables.js';

/** The input of createOrder, by either interface. Bounds of shape are the contracts' to check. */
export interface OrderInput {
  /** The account's first one when left out. */
  paymentMethodId?: number;
  externalId?: string;
  pickups: readonly PickupInput[];
  packages: readonly PackageInput[];
}

export interface PickupInput {
  address: Address;
  instructions?: string;
}

/** Carries either `dimensions` or `items`; an empty list of items is as good as none. */
export interface PackageInput {
  pickupIndex: number;
  recipient: Recipient;
  address: Address;
  instructions?: string;
  dimensions?: Dimensions;
  items?: readonly PackageItem[];
}

/** The total is the sum of the lines. */
export interface Pricing {
  totalCentavos: number;
  rateCardVersion: number;
  lines: PriceLine[];
}

export interface OrderRoute {
  distanceMetres: number;
  distanceSource: DistanceSource;
}

/** What every form of an order shows. */
interface OrderHead {
  id: string;
  accountId: string;
  externalId: string | null;
  status: OrderStatus;
  paymentMethodId: number;
  createdAt: Date;
  updatedAt: Date;
}

/** An order without its stops and packages. */
export interface PricedOrder extends OrderHead {
  pricing: Pricing;
  route: OrderRoute;
}

/** A whole order: stops and packages are in the order of the input. `version` grows with every visible change. */
export interface Order extends PricedOrder {
  pickups: Stop[];
  packages: Package[];
  version: number;
}

/** An order as lists show it. */
export interface OrderSummary extends OrderHead {
  totalCentavos: number;
  pickupCount: number;
  packageCount: number;
}

const headColumns = [
  'id',
  'account_id',
  'external_id',
  'status',
  'payment_method_id',
  'total_centavos',
  'created_at',
  'updated_at',
] as const;

type Row<Columns extends readonly (keyof Orders)[]> = Pick<Selectable<Orders>, Columns[number]>;

const toHead = (row: Row<typeof headColumns>): OrderHead => ({
  id: row.id,
  accountId: row.account_id,
  externalId: row.external_id,
  status: row.status,
  paymentMethodId: row.payment_method_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const summaryColumns = [...headColumns, 'pickup_count', 'package_count'] as const;

export type SummaryRow = Row<typeof summaryColumns>;

export const toSummary = (row: SummaryRow): OrderSummary => ({
  totalCentavos: Number(row.total_centavos),
  pickupCount: row.pickup_count,
  packageCount: row.package_count,
  ...toHead(row),
});

export const pricedColumns = [
  ...headColumns,
  'rate_card_version',
  'price_lines',
  'distance_metres',
  'distance_source',
] as const;

export type PricedRow = Row<typeof pricedColumns>;

export const toPricedOrder = (row: PricedRow): PricedOrder => ({
  pricing: {
    totalCentavos: Number(row.total_centavos),
    rateCardVersion: row.rate_card_version,
    lines: row.price_lines,
  },
  route: { distanceMetres: row.distance_metres, distanceSource: row.distance_source },
  ...toHead(row),
});

interface OrderRow extends PricedRow {
  version: number;
  pickups: JsonRow<Pickups>[];
  packages: PackageRow[];
}

/**
 * An order of the actor's account, or any one for an operator; undefined when there is no such order. One statement, however many
 * packages it has: they and the pickups are read as JSON.
 */
export async function getOrder(db: Db, actor: Actor, id: string): Promise<Order | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<OrderRow>`
    select
      ${sql.raw(namesOf(pricedColumns, 'o'))}, o.version,
      (select json_agg(u order by u.position) from pickups u where u.order_id = o.id) as pickups,
      (select json_agg(packed order by packed.position) from (${packageRows} where p.order_id = o.id) packed) as packages
    from orders o where o.id = ${id} and ${ownedBy(actor, 'o.account_id')}`.execute(db);
  return rows[0] && toOrder(rows[0]);
}

function toOrder(row: OrderRow): Order {
  const { pickups, packages, version } = row;
  return { ...toPricedOrder(row), pickups: pickups.map(toStop), packages: packages.map(toPackage), version };
}
