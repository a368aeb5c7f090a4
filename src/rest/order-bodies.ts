import type { operations } from '../../generated/rest.js';
import { formatMoney } from '../base/money.js';
import type { Order, OrderInput, OrderSummary, PackageInput, PriceLine } from '../orders/order.js';
import type { OrderFilters } from '../orders/queries.js';
import type { Package, PackageStatus } from '../packages/package.js';
import type { ResolvedPlace, Stop, Waypoint } from '../packages/stop.js';
import type { Schemas } from './deps.js';

export function toInput({ payment_method_id, external_id, pickups, packages }: Schemas['OrderCreate']): OrderInput {
  return {
    ...(payment_method_id === undefined ? {} : { paymentMethodId: payment_method_id }),
    ...(external_id === undefined ? {} : { externalId: external_id }),
    pickups,
    packages: packages.map(toPackageInput),
  };
}

function toPackageInput({ pickup_index, items, ...parcel }: Schemas['PackageInput']): PackageInput {
  const named = items?.map(({ product_id, quantity }) => ({ productId: product_id, quantity }));
  return { ...parcel, pickupIndex: pickup_index, ...(named ? { items: named } : {}) };
}

type ListQuery = NonNullable<operations['listOrders']['parameters']['query']>;

export function toFilters({ status, created_from, created_to }: ListQuery): OrderFilters {
  return {
    ...(status === undefined ? {} : { status }),
    ...(created_from === undefined ? {} : { createdFrom: wholeMillisecond(created_from) }),
    ...(created_to === undefined ? {} : { createdTo: wholeMillisecond(created_to) }),
  };
}

/** The first whole millisecond that is not before the time: orders are created at whole ones. */
function wholeMillisecond(time: string): Date {
  const finer = /\.\d{3}\d*[1-9]/.test(time) ? 1 : 0;
  return new Date(new Date(time).getTime() + finer);
}

export function toOrder(order: Order): Schemas['Order'] {
  const { pricing, route } = order;
  return {
    ...toHead(order),
    pricing: {
      total: formatMoney(pricing.totalCentavos),
      rate_card_version: pricing.rateCardVersion,
      lines: pricing.lines.map(toPriceLine),
    },
    route: { distance: route.distanceMetres, distance_source: route.distanceSource },
    pickups: order.pickups.map(toStop),
    packages: order.packages.map(toPackage),
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}

export function toSummary(order: OrderSummary): Schemas['OrderSummary'] {
  return {
    ...toHead(order),
    total: formatMoney(order.totalCentavos),
    pickup_count: order.pickupCount,
    package_count: order.packageCount,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}

function toHead({ id, accountId, externalId, status, paymentMethodId }: Order | OrderSummary) {
  return { id, user_id: accountId, external_id: externalId, status, payment_method_id: paymentMethodId };
}

function toPriceLine({ kind, quantity, unitPrice, amount }: PriceLine): Schemas['PriceLine'] {
  return { kind, quantity, unit_price: formatMoney(unitPrice), amount: formatMoney(amount) };
}

function toStop({ address, instructions, place, waypoint }: Stop): Schemas['Pickup'] {
  return {
    address,
    ...(instructions === undefined ? {} : { instructions }),
    resolved_address: toResolvedAddress(place),
    waypoint: toWaypoint(waypoint),
  };
}

function toResolvedAddress(place: ResolvedPlace): Schemas['ResolvedAddress'] {
  const { latitude, longitude, precision, city, state, district, postalCode } = place;
  return {
    latitude,
    longitude,
    precision,
    ...(district === undefined ? {} : { district }),
    city,
    state,
    ...(postalCode === undefined ? {} : { postal_code: postalCode }),
  };
}

function toWaypoint({ index, eta, legDistance }: Waypoint): Schemas['Waypoint'] {
  return { index, eta: eta.toISOString(), leg_distance: legDistance };
}

function toPackage(parcel: Package): Schemas['Package'] {
  const items = parcel.items?.map(({ productId, quantity }) => ({ product_id: productId, quantity }));
  return {
    loggi_key: parcel.loggiKey,
    tracking_code: parcel.trackingCode,
    barcode: parcel.barcode,
    pickup_index: parcel.pickupIndex,
    recipient: parcel.recipient,
    ...toStop(parcel),
    dimensions: parcel.dimensions,
    ...(items ? { items } : {}),
    pickup_waypoint: toWaypoint(parcel.pickupWaypoint),
    status: toStatus(parcel.status),
    promised_date: parcel.promisedDate,
  };
}

function toStatus({
  code,
  name,
  description,
  since,
  actionRequired,
  pickupAgency,
}: PackageStatus): Schemas['PackageStatus'] {
  const action = actionRequired && {
    reason_label: actionRequired.reasonLabel,
    reason_description: actionRequired.reasonDescription,
  };
  const agency = pickupAgency && {
    address: pickupAgency.address,
    city: pickupAgency.city,
    state: pickupAgency.state,
    postal_code: pickupAgency.postalCode,
  };
  return {
    code,
    high_level_status: name,
    description,
    ...(action ? { action_required: action } : {}),
    ...(agency ? { pickup_agency: agency } : {}),
    updated_at: since.toISOString(),
  };
}
