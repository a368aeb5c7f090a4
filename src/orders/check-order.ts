import type { FieldError } from '../base/errors.js';
import type { Located } from '../base/place.js';
import type { NewPackage } from '../packages/add-packages.js';
import type { Stop } from '../packages/stop.js';
import type { LocatedStops } from './locate-stops.js';
import type { OrderInput, PackageInput, PickupInput } from './order.js';
import { type ProductSizes, parcelOf } from './parcel.js';

/** What an order is checked against. */
export interface Known extends LocatedStops {
  /** The account's, the first one first. */
  paymentMethodIds: readonly number[];
  products: ProductSizes;
}

export type CheckedPickup = Omit<Stop, 'waypoint'>;
export type CheckedPackage = Omit<NewPackage, 'waypoint' | 'pickupWaypoint' | 'promisedDate' | 'origin'>;

export interface CheckedOrder {
  paymentMethodId: number;
  pickups: CheckedPickup[];
  packages: CheckedPackage[];
}

/** Without a fault and yet not ok is an order with addresses that have not been located. */
export type Checked = { ok: true; order: CheckedOrder } | { ok: false; faults: FieldError[] };

/** A value, or what is wrong with it. */
interface Check<T> {
  value?: T;
  faults: FieldError[];
}

/** Finds every fault of an order that takes more than its shape to see, in the order of its fields. */
export function checkOrder(input: OrderInput, known: Known): Checked {
  const payment = checkPayment(input.paymentMethodId, known.paymentMethodIds);
  const pickups = input.pickups.map((pickup, at) => checkPickup(pickup, known.pickups[at], `pickups.${at}`));
  const packages = input.packages.map((parcel, at) => checkPackage(parcel, at, input.pickups.length, known));
  const checks = [payment, ...pickups, ...packages];
  const faults = checks.flatMap((check) => check.faults);
  const isWhole = checks.every(({ value }) => value !== undefined);
  if (faults.length > 0 || !isWhole || payment.value === undefined) return { ok: false, faults };
  const order = {
    paymentMethodId: payment.value,
    pickups: pickups.flatMap(valuesOf),
    packages: packages.flatMap(valuesOf),
  };
  return { ok: true, order };
}

function valuesOf<T>({ value }: Check<T>): T[] {
  return value === undefined ? [] : [value];
}

function checkPayment(wanted: number | undefined, ids: Known['paymentMethodIds']): Check<number> {
  const value = wanted === undefined ? ids[0] : ids.find((id) => id === wanted);
  if (value !== undefined) return { value, faults: [] };
  return { faults: [{ field: 'paymentMethodId', message: 'is not a payment method of the account' }] };
}

function checkPickup({ address, instructions }: PickupInput, located: Located | undefined, path: string) {
  const { value: place, faults } = checkPlace(located, path);
  if (!place) return { faults } satisfies Check<CheckedPickup>;
  const value = instructions === undefined ? { address, place } : { address, place, instructions };
  return { value, faults } satisfies Check<CheckedPickup>;
}

function checkPlace(located: Located | undefined, path: string): Check<CheckedPickup['place']> {
  if (located?.ok) return { value: located.place, faults: [] };
  return { faults: located ? [{ field: `${path}.address.address`, message: located.message }] : [] };
}

function checkPackage(input: PackageInput, at: number, pickupCount: number, known: Known): Check<CheckedPackage> {
  const path = `packages.${at}`;
  const stop: Check<CheckedPickup> = checkPickup(input, known.deliveries[at], path);
  const { dimensions, faults: misfits } = parcelOf(input, known.products, path);
  const faults = [...checkPickupIndex(input.pickupIndex, pickupCount, path), ...stop.faults, ...misfits];
  if (!stop.value || !dimensions) return { faults };
  const { pickupIndex, recipient, items } = input;
  return {
    value: { pickupIndex, recipient, dimensions, items: items?.length ? [...items] : null, ...stop.value },
    faults,
  };
}

function checkPickupIndex(index: number, pickupCount: number, path: string): FieldError[] {
  if (Number.isInteger(index) && index >= 0 && index < pickupCount) return [];
  return [{ field: `${path}.pickupIndex`, message: `must name one of the ${pickupCount} pickups, counted from 0` }];
}
