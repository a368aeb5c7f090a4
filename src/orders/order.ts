import type { OrderStatus, PriceLine } from '../db/tables.js';
import type { Dimensions, Package, PackageItem, PackageRow, Recipient } from '../packages/package.js';
import { toPackage } from '../packages/package.js';
import { type Address, type Stop, type StopRow, toStop } from '../packages/stop.js';

export type { OrderStatus, PriceLine } from '../db/tables.js';

/** An order as it is asked for: createOrder of both interfaces. Bounds of shape are the contracts' to check. */
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

/** Carries either `dimensions` or `items`; no items are as good as an empty list. */
export interface PackageInput {
  pickupIndex: number;
  recipient: Recipient;
  address: Address;
  instructions?: string;
  dimensions?: Dimensions;
  items?: readonly PackageItem[];
}

export type OrderPickup = Stop;
export type OrderPackage = Package;

/** The total is the sum of the lines. */
export interface Pricing {
  totalCentavos: number;
  rateCardVersion: number;
  lines: PriceLine[];
}

export interface OrderRoute {
  distanceMetres: number;
  distanceSource: 'great_circle' | 'osrm';
}

export interface OrderHead {
  id: string;
  accountId: string;
  externalId: string | null;
  status: OrderStatus;
  paymentMethodId: number;
  createdAt: Date;
  updatedAt: Date;
}

/** An order with its price, route and packages, both in the order of the input. `version` grows with every visible change. */
export interface Order extends OrderHead {
  pricing: Pricing;
  route: OrderRoute;
  pickups: OrderPickup[];
  packages: OrderPackage[];
  version: number;
}

/** An order as lists show it. */
export interface OrderSummary extends OrderHead {
  totalCentavos: number;
  pickupCount: number;
  packageCount: number;
}

/** An order as queries.ts reads it, its stops and packages in JSON. */
export interface OrderRow {
  id: string;
  account_id: string;
  external_id: string | null;
  status: OrderStatus;
  payment_method_id: number;
  rate_card_version: number;
  price_lines: PriceLine[];
  total_centavos: string;
  distance_metres: number;
  distance_source: 'great_circle' | 'osrm';
  version: number;
  created_at: Date;
  updated_at: Date;
  pickups: StopRow[];
  packages: PackageRow[];
}

/** An order without its stops and packages. */
export function toHead(
  row: Omit<OrderRow, 'pickups' | 'packages' | 'version'>,
): OrderHead & Pick<Order, 'pricing' | 'route'> {
  return {
    id: row.id,
    accountId: row.account_id,
    externalId: row.external_id,
    status: row.status,
    paymentMethodId: row.payment_method_id,
    pricing: {
      totalCentavos: Number(row.total_centavos),
      rateCardVersion: row.rate_card_version,
      lines: row.price_lines,
    },
    route: { distanceMetres: row.distance_metres, distanceSource: row.distance_source },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toOrder(row: OrderRow): Order {
  const { pickups, packages, version } = row;
  return { ...toHead(row), pickups: pickups.map(toStop), packages: packages.map(toPackage), version };
}
