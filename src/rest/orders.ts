import { paymentMethodBody, paymentMethods } from '../accounts/payment-methods.js';
import type { Actor } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { type Centavos, formatMoney } from '../base/money.js';
import { type Page, pageOfAll } from '../base/page.js';
import type { Waypoint } from '../base/place.js';
import type { ChangesFrom } from '../db/lists/changed-since.js';
import { etagHeader } from '../http/conditional.js';
import { changingReply, listReply } from '../http/paging.js';
import { onceAlone } from '../idempotency/once.js';
import { listChangedOrders, listOrders, type OrderFilters, withPrices } from '../orders/list-orders.js';
import {
  getOrderUnless,
  type Order,
  type OrderRoute,
  orderSummaryBody,
  type Pricing,
  pricingBody,
} from '../orders/order.js';
import { estimateOrder, lastDate, type PlannedOrder, planOrder } from '../orders/plan-order.js';
import { setOrderStatus } from '../orders/set-status.js';
import { attemptsBody, windowBody } from '../packages/attempts.js';
import { type Package, statusBody } from '../packages/package.js';
import { shownPin } from '../packages/proof/pins.js';
import { shownDocument, shownRecipient } from '../packages/recipient.js';
import { type Address, type Pickup, shownPlace, shownSender } from '../packages/stop.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { Bodies, Filters, RestDeps, SomeHandlers } from './deps.js';
import { toInput } from './order-input.js';

/** Makes the parts of a shown package that are not in its record. */
interface PackageExtras {
  links: TrackingLinks;
  /** The PIN of a package. Undefined if the actor may not see it. */
  pinOf(record: Package): string | undefined;
}

export interface ShownExtras {
  trackingUrl: string | undefined;
  pin: string | undefined;
}

export const extrasFor = ({ trackingLinks: links, encryptionKeys }: RestDeps, actor: Actor): PackageExtras => ({
  links,
  pinOf: (record) => shownPin(actor, encryptionKeys, record),
});

export const ordersHandlers = (deps: RestDeps) =>
  ({
    createOrder: async ({ body, ctx }) => {
      const planned = await planOrder(deps, ctx.actor.accountId, toInput(body));
      const toReply = (order: Order) => {
        const headers = { ...etagHeader(order), Location: `/api/v1/orders/${order.id}` };
        return { status: 201 as const, body: toOrder(order, extrasFor(deps, ctx.actor)), headers };
      };
      return deps.placing.writeOf(planned, toReply, ctx.origin);
    },

    estimateOrder: async ({ body, ctx }) => {
      const services = await estimateOrder(deps, ctx.actor.accountId, toInput(body));
      const reply = { status: 200 as const, body: toEstimate(services) };
      const commit = async () => reply;
      // Without an idempotency key there is nothing to write, so there is no transaction.
      return { commit, commitUnder: (scope) => onceAlone(deps.db, scope, commit) };
    },

    listOrders: ({ query, ctx }) => {
      const list = {
        list: (page: Page) =>
          deps.readList(async (lists) =>
            withPrices(lists, query.with_pricing, await listOrders(lists, ctx.actor, toFilters(query), page)),
          ),
        changes: (from: ChangesFrom, size: number) =>
          deps.readList((lists) => listChangedOrders(lists, ctx.actor, from, size)),
      };
      return changingReply(query, list, orderSummaryBody);
    },

    listOwnPaymentMethods: ({ query, ctx }) =>
      listReply(
        query,
        async (page) => pageOfAll(await paymentMethods(deps.db, ctx.actor.accountId), page),
        paymentMethodBody,
      ),

    getOrder: async ({ params, ctx }) => {
      const found = await getOrderUnless(deps.db, ctx.actor, params.id, ctx.knownVersion);
      if (!found) throw notFound('order');
      const headers = etagHeader(found);
      if (!found.order) return { status: 304, headers };
      return { status: 200, body: toOrder(found.order, extrasFor(deps, ctx.actor)), headers };
    },

    updateOrderStatus: async ({ params, body: { status, ...others }, ctx }) => {
      others satisfies NoKey;
      const options = { ifMatch: ctx.ifMatch, traceparent: ctx.origin.traceparent };
      return async (trx) => {
        const order = await setOrderStatus(trx, ctx.actor, params.id, status, options);
        return { status: 200, body: toOrder(order, extrasFor(deps, ctx.actor)), headers: etagHeader(order) };
      };
    },
  }) satisfies SomeHandlers;

function toFilters(query: Filters<'listOrders'>): OrderFilters {
  const { status, created_from, created_to, ready_from, ready_to, external_id, tracking_code, ...rest } = query;
  const { updated_from: _, cursor: __, with_pricing: ___, reference, metadata, ...others } = rest;
  others satisfies NoKey;
  return omitUndefined<OrderFilters>({
    status,
    createdFrom: toTime(created_from),
    createdTo: toTime(created_to),
    readyFrom: toTime(ready_from),
    readyTo: toTime(ready_to),
    externalId: external_id,
    trackingCode: tracking_code,
    reference,
    metadata,
  });
}

export function toOrder(order: Order, { links, pinOf }: PackageExtras): Bodies['Order'] {
  const trackingUrls = links.urlsOf(order.packages);
  return {
    id: order.id,
    user_id: order.accountId,
    external_id: order.externalId,
    status: order.status,
    payment_method_id: order.paymentMethodId,
    service: order.service,
    pricing: toPricing(order.pricing),
    route: toRoute(order.route),
    pickups: order.pickups.map(toPickup),
    packages: order.packages.map((each, at) => toPackage(each, { trackingUrl: trackingUrls[at], pin: pinOf(each) })),
    return_of: order.returnOf ?? undefined,
    ready_at: order.readyAt?.toISOString(),
    metadata: order.metadata ?? undefined,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  };
}

const toEstimate = (services: readonly [PlannedOrder, ...PlannedOrder[]]): Bodies['OrderEstimate'] => ({
  pricing: toPricing(services[0].pricing, services[0].priceUntil),
  route: toRoute(services[0].route),
  pickups: services[0].pickups.map(({ place, waypoint }) => ({
    street_read: place.streetRead,
    resolved_address: shownPlace(place),
    waypoint: toWaypoint(waypoint),
  })),
  packages: services[0].packages.map(({ place, dimensions, pickupWaypoint, waypoint, ...each }) => ({
    street_read: place.streetRead,
    resolved_address: shownPlace(place),
    dimensions,
    pickup_waypoint: toWaypoint(pickupWaypoint),
    waypoint: toWaypoint(waypoint),
    promised_date: each.promisedDate,
    line_haul: toMoney(each.lineHaulCentavos),
  })),
  services: services.map((planned) => ({
    service: planned.service,
    pricing: toPricing(planned.pricing, planned.priceUntil),
    promised_date: lastDate(planned),
  })),
});

export const toPricing = (pricing: Pricing, until?: Date | null): Bodies['Pricing'] => pricingBody(pricing, until);

const toMoney = (centavos: Centavos | null): string | undefined =>
  centavos === null ? undefined : formatMoney(centavos);

const toRoute = ({ distanceMetres, distanceSource }: OrderRoute): Bodies['Route'] => ({
  distance: distanceMetres,
  distance_source: distanceSource,
});

const toPickup = ({ address, instructions, place, waypoint, sender }: Pickup): Bodies['Pickup'] => ({
  address: toAddress(address),
  instructions,
  resolved_address: shownPlace(place),
  waypoint: toWaypoint(waypoint),
  sender: shownSender(sender),
});

export const toAddress = ({ address, complement }: Address): Bodies['Address'] => ({ address, complement });

const toWaypoint = ({ index, eta, legDistance }: Waypoint): Bodies['Waypoint'] => ({
  index,
  eta: eta.toISOString(),
  leg_distance: legDistance,
});

export const toPackage = (record: Package, { trackingUrl, pin }: ShownExtras): Bodies['OrderPackage'] => ({
  loggi_key: record.loggiKey,
  tracking_code: record.trackingCode,
  barcode: record.barcode,
  pickup_index: record.pickupIndex,
  recipient: shownRecipient(record.recipient),
  fiscal_document: shownDocument(record.fiscalDocument),
  address: toAddress(record.address),
  instructions: record.instructions,
  resolved_address: shownPlace(record.place),
  waypoint: toWaypoint(record.waypoint),
  dimensions: record.dimensions,
  items: record.items?.map(({ productId, quantity }) => ({ product_id: productId, quantity })),
  pickup_waypoint: toWaypoint(record.pickupWaypoint),
  status: statusBody(record.status),
  promised_date: record.promisedDate,
  tracking_url: trackingUrl,
  delivery_pin: pin,
  returned_by: record.returnedBy ?? undefined,
  declared_value: toMoney(record.declaredCentavos),
  line_haul: toMoney(record.lineHaulCentavos),
  deliver_from: record.deliverFrom ?? undefined,
  deliver_by: record.deliverBy ?? undefined,
  reference: record.reference ?? undefined,
  attempts: record.attempts ? attemptsBody(record.attempts) : undefined,
  expected_window: record.expected ? windowBody(record.expected) : undefined,
});
