import type { Clock } from '../base/clock.js';
import { conflict, invalid, type ServiceError } from '../base/errors.js';
import { formatMoney } from '../base/money.js';
import type { Waypoint } from '../base/place.js';
import type { FiscalRule } from '../base/tax.js';
import { isUrban, type PricedPackage, price } from '../carrier/pricing.js';
import type { RateCard } from '../carrier/rate-cards.js';
import type { Db } from '../db/connect.js';
import type { Service } from '../db/tables/prices.js';
import type { NewPackage } from '../packages/package.js';
import type { Pickup, Stop } from '../packages/stop.js';
import { promisedDate } from '../routing/calendar.js';
import { type Planning, planRoute, type RoutePlan } from '../routing/planning.js';
import type { RouteStops } from '../routing/visits.js';
import { attachPlaces, type CheckedOrder, checkContent, type OrderContent } from './check-order.js';
import { checkPlaces, type PlaceFacts, servicesAt, sortByStop, visitDaysBy, withRoads } from './check-places.js';
import { checkDocuments, demandFreeKeys, keysOf } from './fiscal-documents.js';
import type { Metadata, Order, OrderInput, OrderRoute, Pricing } from './order.js';
import { checkPlannedDates } from './order-dates.js';
import { type AccountFacts, locateStops, readAccountFacts, readStops } from './order-facts.js';

export interface PlanOrderDeps {
  db: Db;
  planning: Planning;
  clock: Clock;
  /** The service's rule about fiscal documents. Undefined for the goods of an existing order, which need no others. */
  fiscalRule?: FiscalRule | undefined;
  /** Index of the package of an existing order that gets a new address. The areas decide about this one only. */
  movedPackage?: number | undefined;
  /** True for an estimate, which tells when other prices follow. */
  isEstimate?: boolean | undefined;
}

export interface PlannedOrder {
  accountId: string;
  paymentMethodId: number;
  externalId: string | null;
  service: Service;
  pricing: Pricing;
  /** The time from which prices may differ. Null if no change is announced. */
  priceUntil: Date | null;
  route: OrderRoute;
  pickups: Pickup[];
  packages: NewPackage[];
  readyAt: Date | null;
  metadata: Metadata | null;
  /** True for a return, which shares the fiscal keys of the original order. */
  sharesKeys?: boolean;
}

/**
 * Decides everything about an order, and writes nothing. Throws VALIDATION_ERROR with every wrong field. Throws
 * CONFLICT if the externalId or a fiscal key is taken, or if the total is not the expected one. Calls other services
 * only if the input has no other error.
 */
export async function planOrder(deps: PlanOrderDeps, accountId: string, input: OrderInput): Promise<PlannedOrder> {
  const { order, planBy } = await decideOrder(deps, accountId, input);
  const planned = planBy(order.service);
  demandDates(planned, deps.clock());
  return demandTotal(input, planned);
}

/**
 * Plans an order by each service that the rate card offers at all addresses and that meets the dates, `express` first.
 * Throws as `planOrder` does.
 */
export async function estimateOrder(
  deps: PlanOrderDeps,
  accountId: string,
  input: OrderInput,
): Promise<[PlannedOrder, ...PlannedOrder[]]> {
  const { order, services, planBy } = await decideOrder({ ...deps, isEstimate: true }, accountId, input);
  const plans = services.map(planBy);
  const asked = plans.find(({ service }) => service === order.service);
  if (!asked) throw new Error('an order was checked that no service takes');
  const now = deps.clock();
  demandDates(asked, now);
  demandTotal(input, asked);
  const [first = asked, ...others] = plans.filter(({ packages }) => checkPlannedDates(packages, now).length === 0);
  return [first, ...others];
}

function demandDates({ packages }: PlannedOrder, now: Date): void {
  const errors = checkPlannedDates(packages, now);
  if (errors.length > 0) throw invalid(errors);
}

/** The promised date of the package that arrives last. */
export const lastDate = ({ packages }: { packages: readonly { promisedDate: string }[] }): string =>
  packages.reduce((last, { promisedDate: date }) => (date > last ? date : last), '');

async function decideOrder(deps: PlanOrderDeps, accountId: string, input: OrderInput) {
  const { planning } = deps;
  const { facts, content, stops } = await checkEarly(deps, accountId, input);
  const order = attachPlaces(input, content, stops) ?? (await locateOrder(planning, input, content, facts));
  const { route, priced, services, priceBy } = await pricedRoute(deps, { accountId, ...facts }, order, input.readyAt);
  const planBy = (service: Service): PlannedOrder => {
    const { lineHaul, pricing, times } = priceBy(service);
    return {
      accountId,
      paymentMethodId: order.paymentMethodId,
      externalId: input.externalId || null,
      readyAt: input.readyAt ?? null,
      metadata: order.metadata,
      service,
      pricing,
      priceUntil: facts.cardUntil,
      route: { distanceMetres: route.totalMetres, distanceSource: route.distanceSource },
      pickups: order.pickups.map((pickup, at) => ({ waypoint: stopAt(times.pickups, at), ...pickup })),
      packages: priced.map((each, at) => ({
        lineHaulCentavos: lineHaul[at] ?? null,
        ...placed(each, order, times, stopAt(times.deliveries, at)),
      })),
    };
  };
  return { order, services, planBy };
}

/** Asks the geocoder's service for the places that were not found without it. */
async function locateOrder(planning: Planning, input: OrderInput, content: OrderContent, facts: PlaceFacts) {
  const stops = withRoads(await locateStops(planning.geocoder, input));
  const errors = checkPlaces(stops, facts, content.service);
  const order = attachPlaces(input, content, stops);
  if (errors.length > 0 || !order) throw invalid(errors);
  return order;
}

type PricedStop = Omit<PricedPackage, 'directMetres'> & PlacedOrder['packages'][number];

/** Plans the route of checked stops. `services` are those of the card that are offered at all places. */
export async function pricedRoute<P extends PricedStop>(
  { planning, clock }: Pick<PlanOrderDeps, 'planning' | 'clock'>,
  { accountId, card, areas, calendar }: { accountId: string } & Pick<AccountFacts, 'card' | 'areas' | 'calendar'>,
  order: { pickups: Placed[]; packages: P[] },
  readyAt?: Date | null,
) {
  const route = await planRoute(planning, stopsOf(order), clock(), {
    owner: accountId,
    visitDays: visitDaysBy(areas),
    calendar,
    readyAt,
  });
  const priced = order.packages.map((each, at) => ({ ...each, directMetres: route.directMetres[at] ?? 0 }));
  const billedRoute = { courierMetres: await courierMetres(card, priced, route), pickupCount: order.pickups.length };
  const priceBy = (service: Service) => {
    const { lineHaul, ...pricing } = price(card, service, billedRoute, priced);
    const times = route.restingDays(service === 'economy' ? (card.zones?.economyDays ?? 0) : 0);
    return { lineHaul, pricing, times };
  };
  const offered = servicesAt(areas, order);
  const known: readonly Service[] = card.zones?.economyDays === undefined ? ['express'] : ['express', 'economy'];
  return { route, priced, services: known.filter((service) => offered.includes(service)), priceBy };
}

/** Metres that a courier drives: over all stops, or only over those of the urban packages if the card has zones. */
export async function courierMetres(
  card: RateCard,
  packages: readonly PricedPackage[],
  route: RoutePlan,
): Promise<number> {
  if (!card.zones) return route.totalMetres;
  const urban = packages.flatMap(({ directMetres }, at) => (isUrban(card, directMetres) ? at : []));
  return urban.length === 0 ? 0 : route.metresOver(urban);
}

function demandTotal({ expectedCentavos }: OrderInput, planned: PlannedOrder): PlannedOrder {
  const { totalCentavos } = planned.pricing;
  if (expectedCentavos === undefined || expectedCentavos === totalCentavos) return planned;
  const total = formatMoney(totalCentavos);
  throw conflict('price_changed', 'The price of the order is not the expected one.', {
    details: [{ field: 'expectedTotal', code: 'changed', message: `is not the price, which is ${total}`, total }],
  });
}

/** Finds the errors that need no other service. Throws as `planOrder` does. */
export async function checkEarly(deps: PlanOrderDeps, accountId: string, input: OrderInput) {
  const { db, planning, clock, fiscalRule, movedPackage, isEstimate } = deps;
  const stops = withRoads(await readStops(planning.geocoder, accountId, input));
  // The goods of an existing order share its keys.
  const keys = fiscalRule ? keysOf(input.packages) : [];
  const accountFacts = await readAccountFacts(db, accountId, input, { keys, isEstimate });
  const documents = checkDocuments(input.packages, fiscalRule && (accountFacts.ownRule ?? fiscalRule));
  const facts = { ...accountFacts, documents, movedPackage, now: clock() };
  const { content, service, errors } = checkContent(input, facts);
  const placeErrors = checkPlaces(stops, facts, service);
  if (!content || placeErrors.length > 0) throw invalid(sortByStop([...placeErrors, ...errors]));
  if (facts.orderOfExternalId !== null) throw externalIdTaken(facts.orderOfExternalId);
  demandFreeKeys(facts.orderOfKey, documents);
  return { facts, content, stops };
}

type Placed = Pick<Stop, 'address' | 'place'>;

interface PlacedOrder {
  pickups: Placed[];
  packages: (Placed & Pick<NewPackage, 'pickupIndex' | 'deliverFrom'>)[];
}

export function stopsOf({ pickups, packages }: PlacedOrder): RouteStops {
  const routeStop = ({ address, place }: Placed) => ({ ...address, place });
  const deliveries = packages.map(({ pickupIndex, deliverFrom, ...placed }) => {
    return { ...routeStop(placed), pickupIndex, firstDay: deliverFrom };
  });
  return { pickups: pickups.map(routeStop), deliveries };
}

function placed<T extends CheckedOrder['packages'][number]>(
  checked: T,
  { pickups }: CheckedOrder,
  times: Pick<RoutePlan, 'pickups'>,
  waypoint: Waypoint,
) {
  const { place: pickupPlace, sender } = stopAt(pickups, checked.pickupIndex);
  const pickupWaypoint = stopAt(times.pickups, checked.pickupIndex);
  const { city, state } = pickupPlace;
  const promised = { waypoint, promisedDate: promisedDate(waypoint.eta) };
  return { ...promised, pickupPlace, pickupWaypoint, sender, origin: { city, state }, ...checked };
}

function stopAt<T extends Waypoint | CheckedOrder['pickups'][number]>(stops: readonly T[], at: number): T {
  const stop = stops[at];
  if (!stop) throw new RangeError(`the route lacks stop ${at}`);
  return stop;
}

/** Planning that takes the known places of an order's addresses, and looks up only new ones. */
export function withPlacesOf({ pickups, packages }: Order, planning: Planning): Planning {
  // Coordinates that came with an address do not hold for the same text without coordinates.
  const found = [...pickups, ...packages].filter(({ place }) => place.precision !== 'given');
  const known = new Map(found.map(({ address, place }) => [address.address, { ok: true, place } as const]));
  const geocoder: Planning['geocoder'] = {
    read: (address) => known.get(address) ?? planning.geocoder.read(address),
    locate: async (address) => known.get(address) ?? planning.geocoder.locate(address),
  };
  return { ...planning, geocoder };
}

export const externalIdTaken = (orderId?: string): ServiceError =>
  conflict('external_id_taken', 'The account has an order of this external id.', {
    details: [{ field: 'externalId', code: 'taken', message: 'is taken', ...(orderId !== undefined && { orderId }) }],
  });
