import { type Dimensions, dimensionErrors } from '../base/dimensions.js';
import type { FieldError } from '../base/errors.js';
import type { Place } from '../base/place.js';
import { readTaxId, WRONG_TAX_ID } from '../base/tax.js';
import type { Service, Zones } from '../db/tables/prices.js';
import type { NewPackage } from '../packages/package.js';
import type { Recipient } from '../packages/recipient.js';
import type { Pickup, Stop } from '../packages/stop.js';
import { type CheckedDocument, checkSharedKeys } from './fiscal-documents.js';
import { checkMetadata } from './metadata.js';
import type { Metadata, OrderInput, PackageInput, PickupInput } from './order.js';
import { checkDates } from './order-dates.js';
import type { AccountFacts, LocatedStops, ProductSizes } from './order-facts.js';

type ContentFacts = Pick<AccountFacts, 'card' | 'paymentMethodIds' | 'products'> & {
  documents: readonly CheckedDocument[];
  /** The package that gets a new address. Undefined for a new order. */
  movedPackage?: number | undefined;
  now: Date;
};

type CheckedStop = Omit<Stop, 'waypoint'>;
type CheckedPickup = Omit<Pickup, 'waypoint'>;
type PackageContent = Pick<
  NewPackage,
  | ('pickupIndex' | 'recipient' | 'dimensions' | 'items' | 'fiscalDocument' | 'hasPin' | 'declaredCentavos')
  | ('deliverFrom' | 'deliverBy' | 'reference')
>;

interface Terms {
  paymentMethodId: number;
  service: Service;
  metadata: Metadata | null;
}

/** An order whose places were not checked yet. */
export interface OrderContent extends Terms {
  senders: Pickup['sender'][];
  packages: PackageContent[];
}

export interface CheckedOrder extends Terms {
  pickups: CheckedPickup[];
  packages: (CheckedStop & PackageContent)[];
}

interface Check<T> {
  value?: T;
  errors: FieldError[];
}

/** `content` is undefined if there are errors, `service` if its own check found one. */
interface CheckedContent {
  errors: FieldError[];
  service: Service | undefined;
  content: OrderContent | undefined;
}

/** Checks everything in an order except its places. */
export function checkContent(input: OrderInput, facts: ContentFacts): CheckedContent {
  const payment = checkPayment(input.paymentMethodId, facts.paymentMethodIds);
  const senders = input.pickups.map((pickup, at) => checkSender(pickup, `pickups.${at}`));
  const packages = input.packages.map((each, at) => checkPackage(each, at, input.pickups.length, facts));
  const service = checkService(input.service, facts.card.zones);
  const metadata = checkMetadata(input.metadata);
  const checks = [payment, service, metadata, ...senders, checkUse(input), ...packages];
  const errors = [
    ...checks.flatMap((check) => check.errors),
    // The dates of an existing order stay, even if they are over.
    ...(facts.movedPackage === undefined ? checkDates(input, facts.now) : []),
    ...checkSharedKeys(input.packages, facts.documents),
  ];
  if (errors.length > 0 || payment.value === undefined || !service.value)
    return { errors, service: service.value, content: undefined };
  const terms = { paymentMethodId: payment.value, service: service.value, metadata: metadata.value ?? null };
  const content = { ...terms, senders: senders.flatMap(valuesOf), packages: packages.flatMap(valuesOf) };
  return { errors, service: service.value, content };
}

/** The complete order. Undefined while a stop is not located. */
export function attachPlaces(
  input: OrderInput,
  { senders, packages: contents, ...terms }: OrderContent,
  located: LocatedStops,
): CheckedOrder | undefined {
  const pickups = input.pickups.flatMap((pickup, at) => {
    const stop = located.pickups[at];
    return stop?.ok ? { ...placedStop(pickup, stop.place), sender: senders[at] ?? null } : [];
  });
  const packages = input.packages.flatMap((each, at) => {
    const stop = located.deliveries[at];
    const content = contents[at];
    return stop?.ok && content ? { ...content, ...placedStop(each, stop.place) } : [];
  });
  const isWhole = pickups.length === input.pickups.length && packages.length === input.packages.length;
  return isWhole ? { ...terms, pickups, packages } : undefined;
}

const placedStop = ({ address, instructions }: PickupInput, place: Place): CheckedStop =>
  instructions === undefined ? { address, place } : { address, place, instructions };

interface Indexed {
  pickups: readonly object[];
  packages: readonly Pick<PackageInput, 'pickupIndex'>[];
}

/**
 * Refuses a pickup without a package: it would lengthen the route without a charge. If a package has a wrong index,
 * only that error counts, because any pickup may be meant.
 */
export function checkUse({ pickups, packages }: Indexed): Check<true> {
  const used = new Set(packages.map(({ pickupIndex }) => pickupIndex));
  const unused = pickups.flatMap((_, index) => (used.has(index) ? [] : index));
  if ([...used].some((index) => !pickups[index])) return { value: true, errors: [] };
  const message = 'is not the pickup of any package';
  return { value: true, errors: unused.map((index) => ({ field: `pickups.${index}`, code: 'unused', message })) };
}

function valuesOf<T>({ value }: Check<T>): T[] {
  return value === undefined ? [] : [value];
}

function checkPayment(requestedId: number | undefined, ids: readonly number[]): Check<number> {
  const value = requestedId === undefined ? ids[0] : ids.find((id) => id === requestedId);
  if (value !== undefined) return { value, errors: [] };
  return {
    errors: [{ field: 'paymentMethodId', code: 'not_found', message: 'is not a payment method of the account' }],
  };
}

function checkService(service: Service = 'express', zones: Zones | null): Check<Service> {
  if (service === 'express' || zones?.economyDays !== undefined) return { value: service, errors: [] };
  return { errors: [{ field: 'service', code: 'unknown_value', message: 'is not one of the rate card in force' }] };
}

function checkSender({ sender = null }: PickupInput, path: string): Check<Pickup['sender']> {
  return { value: sender, errors: sender === null ? [] : checkName(sender, `${path}.sender`) };
}

export const checkName = ({ name }: { name: string }, path: string): FieldError[] =>
  name.trim() === '' ? [{ field: `${path}.name`, code: 'required', message: 'must not be blank' }] : [];

function checkPackage(
  input: PackageInput,
  at: number,
  pickupCount: number,
  facts: ContentFacts,
): Check<PackageContent> {
  const path = `packages.${at}`;
  const size = packageSize(input, facts.products, path);
  const who = checkRecipient(input.recipient, path);
  const index = checkPickupIndex(input.pickupIndex, pickupCount, path);
  const document = facts.documents[at] ?? { errors: [] };
  const errors = [...index, ...who.errors, ...size.errors, ...document.errors];
  if (!size.dimensions || !who.value || document.value === undefined) return { errors };
  const { pickupIndex, deliveryPin: hasPin = false, declaredCentavos = null } = input;
  const { deliverFrom = null, deliverBy = null } = input;
  const items = input.items?.length ? [...input.items] : null;
  const content = { recipient: who.value, dimensions: size.dimensions, fiscalDocument: document.value };
  const reference = input.reference || null;
  const options = { items, hasPin, declaredCentavos, deliverFrom, deliverBy, reference };
  return { value: { pickupIndex, ...options, ...content }, errors };
}

function checkRecipient(recipient: Recipient, path: string): Check<Recipient> {
  const errors = checkName(recipient, `${path}.recipient`);
  if (errors.length > 0) return { errors };
  if (recipient.taxId === undefined) return { value: recipient, errors: [] };
  const taxId = readTaxId(recipient.taxId)?.value;
  if (taxId === undefined)
    return { errors: [{ field: `${path}.recipient.taxId`, code: 'check_digits', message: WRONG_TAX_ID }] };
  return { value: { ...recipient, taxId }, errors: [] };
}

export function checkPickupIndex(index: number, pickupCount: number, path: string): FieldError[] {
  if (Number.isInteger(index) && index >= 0 && index < pickupCount) return [];
  const message = `must name one of the ${pickupCount} pickups, counted from 0`;
  return [{ field: `${path}.pickupIndex`, code: 'not_found', message }];
}

interface PackageSize {
  dimensions?: Dimensions;
  errors: FieldError[];
}

type Content = Pick<PackageInput, 'dimensions' | 'items'>;

/** Size and weight of a package: given, or computed from its items. */
export function packageSize({ dimensions, items = [] }: Content, products: ProductSizes, path: string): PackageSize {
  const hasItems = items.length > 0;
  if (hasItems === (dimensions !== undefined)) {
    return { errors: [{ field: path, code: 'contradiction', message: 'must have exactly one of: dimensions, items' }] };
  }
  if (dimensions) return { dimensions, errors: dimensionErrors(dimensions, `${path}.dimensions`) };
  const pieces = items.map(({ productId, quantity }) => ({ size: products.get(productId.toLowerCase()), quantity }));
  const knownPieces = pieces.flatMap(({ size, quantity }) => (size ? [{ size, quantity }] : []));
  if (knownPieces.length === pieces.length) return stackedSize(knownPieces, `${path}.items`);
  const message = 'is not a product of the account';
  const errors = pieces.flatMap(({ size }, at): FieldError[] =>
    size ? [] : [{ field: `${path}.items.${at}.productId`, code: 'not_found', message }],
  );
  return { errors };
}

/** Reports errors of a computed size as errors of the items, because the client can change only these. */
function stackedSize(pieces: readonly Pieces[], field: string): PackageSize {
  const dimensions = stacked(pieces);
  const errors = dimensionErrors(dimensions, 'size').map((error) => {
    const [, name] = error.field.split('.');
    return { ...error, field, message: `stacked: ${name === undefined ? '' : `${name} `}${error.message}` };
  });
  return { dimensions, errors };
}

interface Pieces {
  size: Dimensions;
  quantity: number;
}

/** The size of pieces in a stack, each lying on its largest side (contracts/openapi.yaml, PackageInput). */
function stacked(pieces: readonly Pieces[]): Dimensions {
  const lying = pieces.map(({ size, quantity }) => ({ ...lyingFlat(size), quantity }));
  return {
    width: Math.max(...lying.map(({ width }) => width)),
    height: tidy(lying.reduce((sum, { height, quantity }) => sum + height * quantity, 0)),
    length: Math.max(...lying.map(({ length }) => length)),
    weight: tidy(lying.reduce((sum, { weight, quantity }) => sum + weight * quantity, 0)),
  };
}

function lyingFlat({ width, height, length, weight }: Dimensions): Dimensions {
  const [shortest = height, middle = width, longest = length] = [width, height, length].sort((a, b) => a - b);
  return { width: middle, height: shortest, length: longest, weight };
}

/** Removes the error of binary fractions: 3 × 0.1 becomes 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
