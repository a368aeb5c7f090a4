import type * as contract from '../../generated/graphql.js';
import type { FieldError } from '../base/errors.js';
import { type Centavos, formatMoney } from '../base/money.js';
import type { Place, Waypoint } from '../base/place.js';
import { computedOnce } from '../base/values.js';
import { viewer } from '../base/views.js';
import type * as domain from '../orders/order.js';
import type { PagedOrder } from '../orders/orders-after.js';
import { lastDate, type PlannedOrder } from '../orders/plan-order.js';
import type { Package, PackageStatus } from '../packages/package.js';
import type { PackagePart } from '../packages/package-rows.js';
import type { CataloguedEvent } from '../packages/tracking.js';
import type { TrackingLinks } from '../packages/tracking-links.js';

/** Makes the parts of a shown package that are not in its record. */
export interface PackageExtras {
  links: TrackingLinks;
  /** The PIN of a package. Null if the actor may not see it. */
  pinOf(record: Package): string | null;
}

export function toOrder(order: PagedOrder, extras: PackageExtras): contract.Order {
  return {
    pk: order.id,
    externalId: order.externalId,
    status: order.status,
    createdAt: order.createdAt.toISOString(),
    service: order.service,
    pricing: toPricing(order.pricing),
    distance: order.route.distanceMetres,
    distanceSource: order.route.distanceSource,
    packages: toPackages(order.packages, extras),
    readyAt: order.readyAt?.toISOString() ?? null,
    metadata: order.metadata && Object.entries(order.metadata).map(([key, value]) => ({ key, value })),
  };
}

interface Shown {
  record: Package;
  trackingUrl(): string | undefined;
  pinOf: PackageExtras['pinOf'];
  history: readonly CataloguedEvent[];
}

/**
 * The packages of one order. The first read link makes the links of all, so that they share the calls of the ciphers.
 */
function toPackages(packages: readonly Package[], { links, pinOf }: PackageExtras): contract.Package[] {
  const urlsOf = computedOnce((all: readonly Package[]) => links.urlsOf(all));
  return packages.map((record, at) =>
    shownPackage({ record, trackingUrl: () => urlsOf(packages)[at], pinOf, history: [] }),
  );
}

/** Shows a package. `history` is empty if the field cannot select it. */
export const toPackage = (
  record: Package,
  { links, pinOf }: PackageExtras,
  history: readonly CataloguedEvent[] = [],
): contract.Package => shownPackage({ record, trackingUrl: () => links.urlOf(record), pinOf, history });

const shownPackage = viewer<Shown, contract.Package>({
  loggiKey: ({ record }) => record.loggiKey,
  trackingCode: ({ record }) => record.trackingCode,
  barcode: ({ record }) => record.barcode,
  trackingUrl: ({ trackingUrl }) => trackingUrl() ?? null,
  pickupIndex: ({ record }) => record.pickupIndex,
  recipient: ({ record }) => ({ taxId: null, ...record.recipient }),
  address: ({ record: { address } }) => ({ address: address.address, complement: address.complement ?? null }),
  pickupResolvedAddress: ({ record }) => toResolvedAddress(record.pickupPlace),
  resolvedAddress: ({ record }) => toResolvedAddress(record.place),
  dimensions: ({ record }) => record.dimensions,
  instructions: ({ record }) => record.instructions ?? null,
  pickupWaypoint: ({ record }) => toWaypoint(record.pickupWaypoint),
  waypoint: ({ record }) => toWaypoint(record.waypoint),
  status: ({ record }) => toStatus(record.status),
  promisedDate: ({ record }) => record.promisedDate,
  returnedBy: ({ record }) => record.returnedBy,
  deliveryPin: ({ record, pinOf }) => pinOf(record),
  declaredValue: ({ record }) => toMoney(record.declaredCentavos),
  lineHaul: ({ record }) => toMoney(record.lineHaulCentavos),
  fiscalDocument: ({ record: { fiscalDocument } }) => fiscalDocument && { key: null, reason: null, ...fiscalDocument },
  trackingHistory: ({ history }) => history.map(toEvent),
  deliverFrom: ({ record }) => record.deliverFrom,
  deliverBy: ({ record }) => record.deliverBy,
  attempts: ({ record }) => record.attempts,
  expectedWindow: ({ record: { expected } }) =>
    expected && { from: expected.from.toISOString(), to: expected.to.toISOString() },
  reference: ({ record }) => record.reference,
  sender: ({ record: { sender } }) => sender && { phone: null, ...sender },
});

/** The parts of a package's record that a field needs. Fields that are not listed here are in every record. */
const partsByField: Readonly<Record<string, readonly PackagePart[]>> = {
  pickupResolvedAddress: ['pickup'],
  pickupWaypoint: ['pickup'],
  resolvedAddress: ['others'],
  declaredValue: ['others'],
  lineHaul: ['others'],
  fiscalDocument: ['others'],
  deliverFrom: ['others'],
  deliverBy: ['others'],
  attempts: ['others'],
  expectedWindow: ['movement'],
  reference: ['others'],
  sender: ['pickup'],
  description: ['others', 'movement'],
  final: ['others'],
  stage: ['others'],
  actionRequired: ['movement'],
  reopened: ['movement'],
  pickupAgency: ['movement'],
  returnedBy: ['related'],
  deliveryPin: ['related', 'others'],
};

export const partsOf = (fields: Iterable<string>): Set<PackagePart> =>
  new Set([...fields].flatMap((name) => partsByField[name] ?? []));

const toMoney = (centavos: Centavos | null): string | null => (centavos === null ? null : formatMoney(centavos));

export function toEstimate(services: readonly [PlannedOrder, ...PlannedOrder[]]): contract.OrderEstimate {
  const [{ pricing, priceUntil, route, packages }] = services;
  return {
    pricing: toPricing(pricing, priceUntil),
    distance: route.distanceMetres,
    distanceSource: route.distanceSource,
    packages: packages.map(({ place, pickupPlace, pickupWaypoint, waypoint, promisedDate, lineHaulCentavos }) => ({
      pickupStreetRead: pickupPlace.streetRead ?? null,
      pickupResolvedAddress: toResolvedAddress(pickupPlace),
      streetRead: place.streetRead ?? null,
      resolvedAddress: toResolvedAddress(place),
      pickupWaypoint: toWaypoint(pickupWaypoint),
      waypoint: toWaypoint(waypoint),
      promisedDate,
      lineHaul: toMoney(lineHaulCentavos),
    })),
    services: services.map((planned) => ({
      service: planned.service,
      pricing: toPricing(planned.pricing, planned.priceUntil),
      promisedDate: lastDate(planned),
    })),
  };
}

/** Shows a price. Only an estimate has `until`; an order keeps its price. */
export function toPricing(pricing: domain.Pricing, until: Date | null = null): contract.Pricing {
  const { totalCentavos, rateCardVersion, lines } = pricing;
  const toLine = ({ kind, quantity, unitPrice, amount }: domain.PriceLine): contract.PriceLine => {
    return { kind, quantity, unitPrice: formatMoney(unitPrice), amount: formatMoney(amount) };
  };
  const validUntil = until?.toISOString() ?? null;
  return { totalCm: formatMoney(totalCentavos), rateCardVersion, lines: lines.map(toLine), validUntil };
}

function toResolvedAddress(place: Place): contract.ResolvedAddress {
  const { latitude, longitude, precision, city, state } = place;
  const { accuracyMetres = null, district = null, postalCode = null } = place;
  return { latitude, longitude, precision, accuracyMetres, city, state, district, postalCode };
}

function toWaypoint({ index, eta, legDistance }: Waypoint): contract.Waypoint {
  return { index, eta: Math.round(eta.getTime() / 1000), etaTime: eta.toISOString(), legDistance };
}

function toStatus(status: PackageStatus): contract.PackageStatus {
  const { name: highLevelStatus, since, code, description, final, stage } = status;
  const { actionRequired, pickupAgency, isReopening: reopened } = status;
  const updatedTime = since.toISOString();
  return { code, highLevelStatus, description, final, stage, updatedTime, reopened, actionRequired, pickupAgency };
}

function toEvent({ status, location, attempt }: CataloguedEvent): contract.TrackingEvent {
  const { highLevelStatus: name, public_title: title, updatedTime, pickupAgency = null } = status;
  return {
    status: toStatus({ ...status, name, title, since: new Date(updatedTime), pickupAgency }),
    location,
    attempt: attempt ?? null,
  };
}

/** Renames the field of an error of the domain as in the contract. */
export const toFieldError = ({ field, ...rest }: FieldError): FieldError => ({
  field: field === 'paymentMethodId' ? 'paymentMethod' : field,
  ...rest,
});
