import type { FieldError } from '../base/errors.js';
import type { Located } from '../base/place.js';
import type { NewPackage } from '../packages/package.js';
import type { Stop } from '../packages/stop.js';
import { joinedByRoad } from '../routing/road-networks.js';
import type { OrderInput, PackageInput, PickupInput } from './order.js';
import type { AccountFacts, LocatedStops } from './order-facts.js';
import { packageSize } from './package-size.js';

type Facts = LocatedStops & Pick<AccountFacts, 'paymentMethodIds' | 'products'>;

type CheckedPickup = Omit<Stop, 'waypoint'>;
type CheckedPackage = CheckedPickup & Pick<NewPackage, 'pickupIndex' | 'recipient' | 'dimensions' | 'items' | 'hasPin'>;

export interface CheckedOrder {
  paymentMethodId: number;
  pickups: CheckedPickup[];
  packages: CheckedPackage[];
}

/** Without errors and yet not ok is an order with addresses that have not been located. */
export type CheckResult = { ok: true; order: CheckedOrder } | { ok: false; errors: FieldError[] };

/** A value, or what is wrong with it. */
interface Check<T> {
  value?: T;
  errors: FieldError[];
}

/** Finds every error of an order that takes more than its shape to see, in the order of its fields. */
export function checkOrder(input: OrderInput, located: Facts): CheckResult {
  const facts = withRoads(located);
  const payment = checkPayment(input.paymentMethodId, facts.paymentMethodIds);
  const pickups = input.pickups.map((pickup, at) => checkPickup(pickup, facts.pickups[at], `pickups.${at}`));
  const packages = input.packages.map((each, at) => checkPackage(each, at, input.pickups.length, facts));
  const checks = [payment, ...pickups, ...packages];
  const errors = checks.flatMap((check) => check.errors);
  const isWhole = checks.every(({ value }) => value !== undefined);
  if (errors.length > 0 || !isWhole || payment.value === undefined) return { ok: false, errors };
  const order = {
    paymentMethodId: payment.value,
    pickups: pickups.flatMap(valuesOf),
    packages: packages.flatMap(valuesOf),
  };
  return { ok: true, order };
}

/** The facts, with an error in place of every stop that no road joins to the others. */
function withRoads(facts: Facts): Facts {
  const deliveries = joinedByRoad([...facts.pickups, ...facts.deliveries]);
  const pickups = deliveries.splice(0, facts.pickups.length);
  return { ...facts, pickups, deliveries };
}

function valuesOf<T>({ value }: Check<T>): T[] {
  return value === undefined ? [] : [value];
}

function checkPayment(requestedId: number | undefined, ids: readonly number[]): Check<number> {
  const value = requestedId === undefined ? ids[0] : ids.find((id) => id === requestedId);
  if (value !== undefined) return { value, errors: [] };
  return { errors: [{ field: 'paymentMethodId', message: 'is not a payment method of the account' }] };
}

function checkPickup({ address, instructions }: PickupInput, located: Located | undefined, path: string) {
  const { value: place, errors } = checkPlace(located, path);
  if (!place) return { errors } satisfies Check<CheckedPickup>;
  const value = instructions === undefined ? { address, place } : { address, place, instructions };
  return { value, errors } satisfies Check<CheckedPickup>;
}

function checkPlace(located: Located | undefined, path: string): Check<CheckedPickup['place']> {
  if (located?.ok) return { value: located.place, errors: [] };
  return { errors: located ? [{ field: `${path}.address.address`, message: located.message }] : [] };
}

function checkPackage(input: PackageInput, at: number, pickupCount: number, facts: Facts): Check<CheckedPackage> {
  const path = `packages.${at}`;
  const stop: Check<CheckedPickup> = checkPickup(input, facts.deliveries[at], path);
  const size = packageSize(input, facts.products, path);
  const errors = [...checkPickupIndex(input.pickupIndex, pickupCount, path), ...stop.errors, ...size.errors];
  if (!stop.value || !size.dimensions) return { errors };
  const { pickupIndex, recipient, items, deliveryPin: hasPin = false } = input;
  return {
    value: {
      pickupIndex,
      recipient,
      dimensions: size.dimensions,
      items: items?.length ? [...items] : null,
      hasPin,
      ...stop.value,
    },
    errors,
  };
}

function checkPickupIndex(index: number, pickupCount: number, path: string): FieldError[] {
  if (Number.isInteger(index) && index >= 0 && index < pickupCount) return [];
  return [{ field: `${path}.pickupIndex`, message: `must name one of the ${pickupCount} pickups, counted from 0` }];
}
