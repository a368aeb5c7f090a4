import type { operations } from '../../generated/rest.js';
import type { Actor } from '../base/actor.js';
import { wholeMillisecond } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { formatMoney } from '../base/money.js';
import type { Place, Waypoint } from '../base/place.js';
import { etagHeader } from '../http/conditional.js';
import { listBody, pageOf } from '../http/paging.js';
import { listOrders, type OrderFilters } from '../orders/list-orders.js';
import type { Order, OrderInput, OrderRoute, OrderSummary, PackageInput, PriceLine, Pricing } from '../orders/order.js';
import { getOrderUnless } from '../orders/order.js';
import { planOrder } from '../orders/plan-order.js';
import { setOrderStatus } from '../orders/set-status.js';
import type { Package, PackageStatus } from '../packages/package.js';
import { shownPin } from '../packages/proof/pins.js';
import type { Stop } from '../packages/stop.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';

/** What a body shows of packages beyond their records. */
interface PackageExtras {
  links: TrackingLinks;
  /** Undefined for whom the PIN is not for. */
  pinOf(record: Package): string | undefined;
}

/** Of one package. */
export interface ShownExtras {
  trackingUrl: string | undefined;
  pin: string | undefined;
}

export const extrasFor = ({ trackingLinks: links, encryptionKeys }: RestDeps, actor: Actor): PackageExtras => ({
  links,
  pinOf: (record) => shownPin(actor, encryptionKeys, record),
});

type OrderOperation = 'createOrder' | 'listOrders' | 'getOrder' | 'updateOrderStatus';

export const ordersHandlers = (deps: RestDeps): RestHandlers<OrderOperation> => ({
  createOrder: async ({ body, ctx }) => {
    const planned = await planOrder(deps, ctx.actor.accountId, toInput(body));
    const toReply = (order: Order) => {
      const headers = { ...etagHeader(order), Location: `/api/v1/orders/${order.id}` };
      return { status: 201 as const, body: toOrder(order, extrasFor(deps, ctx.actor)), headers };
    };
    return deps.placing.writeOf(planned, toReply, ctx.origin);
  },

  listOrders: async ({ query, ctx }) => {
    const page = pageOf(query);
    return {
      status: 200,
      body: listBody(await deps.readList((db) => listOrders(db, ctx.actor, toFilters(query), page)), page, toSummary),
    };
  },

  getOrder: async ({ params, ctx }) => {
    const order = await getOrderUnless(deps.db, ctx.actor, params.id, ctx.knownVersion);
    if (!order) throw notFound('order');
    if ('isUnchanged' in order) return { status: 304, headers: etagHeader(order) };
    return { status: 200, body: toOrder(order, extrasFor(deps, ctx.actor)), headers: etagHeader(order) };
  },

  updateOrderStatus: async ({ params, body, ctx }) => {
    const order = await setOrderStatus(deps.db, ctx.actor, params.id, body.status, {
      ifMatch: ctx.ifMatch,
      traceparent: ctx.origin.traceparent,
    });
    return { status: 200, body: toOrder(order, extrasFor(deps, ctx.actor)), headers: etagHeader(order) };
  },
});

export function toInput({ payment_method_id, external_id, pickups, packages }: Schemas['OrderCreate']): OrderInput {
  return {
    ...(payment_method_id === undefined ? {} : { paymentMethodId: payment_method_id }),
    ...(external_id === undefined ? {} : { externalId: external_id }),
    pickups,
    packages: packages.map(toPackageInput),
  };
}

function toPackageInput({ pickup_index, items, delivery_pin, ...rest }: Schemas['PackageInput']): PackageInput {
  const orderedItems = items?.map(({ product_id, quantity }) => ({ productId: product_id, quantity }));
  return {
    ...rest,
    pickupIndex: pickup_index,
    ...(orderedItems ? { items: orderedItems } : {}),
    ...(delivery_pin === undefined ? {} : { deliveryPin: delivery_pin }),
  };
}

type ListQuery = NonNullable<operations['listOrders']['parameters']['query']>;

function toFilters({ status, created_from, created_to, external_id, tracking_code }: ListQuery): OrderFilters {
  return {
    ...(status === undefined ? {} : { status }),
    ...(created_from === undefined ? {} : { createdFrom: wholeMillisecond(created_from) }),
    ...(created_to === undefined ? {} : { createdTo: wholeMillisecond(created_to) }),
    ...(external_id === undefined ? {} : { externalId: external_id }),
    ...(tracking_code === undefined ? {} : { trackingCode: tracking_code }),
  };
}

function toOrder(order: Order, { links, pinOf }: PackageExtras): Schemas['Order'] {
  const { pricing, route } = order;
  const trackingUrls = links.urlsOf(order.packages);
  return {
    id: order.id,
    user_id: order.accountId,
    external_id: order.externalId,
    status: order.status,
    payment_method_id: order.paymentMethodId,
    pricing: toPricing(pricing),
    route: toRoute(route),
    pickups: order.pickups.map(toStop),
    packages: order.packages.map((each, at) => toPackage(each, { trackingUrl: trackingUrls[at], pin: pinOf(each) })),
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}

function toSummary(order: OrderSummary): Schemas['OrderSummary'] {
  return {
    id: order.id,
    user_id: order.accountId,
    external_id: order.externalId,
    status: order.status,
    payment_method_id: order.paymentMethodId,
    total: formatMoney(order.totalCentavos),
    pickup_count: order.pickupCount,
    package_count: order.packageCount,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}

export const toPricing = ({ totalCentavos, rateCardVersion, lines }: Pricing): Schemas['Pricing'] => ({
  total: formatMoney(totalCentavos),
  rate_card_version: rateCardVersion,
  lines: lines.map(toPriceLine),
});

export const toRoute = ({ distanceMetres, distanceSource }: OrderRoute): Schemas['Route'] => ({
  distance: distanceMetres,
  distance_source: distanceSource,
});

function toPriceLine({ kind, quantity, unitPrice, amount }: PriceLine): Schemas['PriceLine'] {
  return { kind, quantity, unit_price: formatMoney(unitPrice), amount: formatMoney(amount) };
}

function toStop({ address, instructions, place, waypoint }: Stop): Schemas['Pickup'] {
  const stop = { address, resolved_address: toResolvedAddress(place), waypoint: toWaypoint(waypoint) };
  return instructions === undefined ? stop : { ...stop, instructions };
}

export function toResolvedAddress(place: Place): Schemas['ResolvedAddress'] {
  const { latitude, longitude, precision, city, state, district, postalCode } = place;
  const resolved: Schemas['ResolvedAddress'] = { latitude, longitude, precision, city, state };
  if (district !== undefined) resolved.district = district;
  if (postalCode !== undefined) resolved.postal_code = postalCode;
  return resolved;
}

export function toWaypoint({ index, eta, legDistance }: Waypoint): Schemas['Waypoint'] {
  return { index, eta: eta.toISOString(), leg_distance: legDistance };
}

/** Bodies of this size are built field by field: one that begins with a spread costs many times as much. */
export function toPackage(record: Package, { trackingUrl, pin }: ShownExtras): Schemas['OrderPackage'] {
  const { instructions, items } = record;
  const body: Schemas['OrderPackage'] = {
    loggi_key: record.loggiKey,
    tracking_code: record.trackingCode,
    barcode: record.barcode,
    pickup_index: record.pickupIndex,
    recipient: record.recipient,
    address: record.address,
    resolved_address: toResolvedAddress(record.place),
    waypoint: toWaypoint(record.waypoint),
    dimensions: record.dimensions,
    pickup_waypoint: toWaypoint(record.pickupWaypoint),
    status: toStatus(record.status),
    promised_date: record.promisedDate,
  };
  if (trackingUrl !== undefined) body.tracking_url = trackingUrl;
  if (pin !== undefined) body.delivery_pin = pin;
  if (instructions !== undefined) body.instructions = instructions;
  if (items) body.items = items.map(({ productId, quantity }) => ({ product_id: productId, quantity }));
  return body;
}

export function toStatus(status: PackageStatus): Schemas['PackageStatus'] {
  const { code, name, description, since, actionRequired, pickupAgency } = status;
  const body: Schemas['PackageStatus'] = {
    code,
    high_level_status: name,
    description,
    updated_at: since.toISOString(),
  };
  if (actionRequired) {
    const { reasonLabel: reason_label, reasonDescription: reason_description } = actionRequired;
    body.action_required = { reason_label, reason_description };
  }
  if (pickupAgency) {
    const { postalCode: postal_code, ...agency } = pickupAgency;
    body.pickup_agency = { ...agency, postal_code };
  }
  return body;
}
