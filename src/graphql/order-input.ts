import type * as contract from '../../generated/graphql.js';
import { toTime } from '../base/clock.js';
import type { Dimensions } from '../base/dimensions.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { type Centavos, parseMoney } from '../base/money.js';
import type { Coordinates } from '../base/place.js';
import type * as domain from '../orders/order.js';
import type { FiscalDocument, Recipient } from '../packages/recipient.js';
import type { Address, Sender } from '../packages/stop.js';

/** Converts an order. GraphQL keeps nulls; the domain knows only missing fields. */
export function toOrderInput(input: contract.CreateOrderInput): domain.OrderInput {
  const { paymentMethod, externalId, service, expectedTotal, readyAt, metadata, ...stops } = input;
  const { pickups, packages, ...others } = stops;
  others satisfies NoKey;
  return omitUndefined<domain.OrderInput>({
    paymentMethodId: paymentMethod,
    externalId: externalId ?? undefined,
    service: service ?? undefined,
    expectedCentavos: toCentavos(expectedTotal),
    readyAt: toReadyTime(readyAt),
    metadata: metadata?.map(toFact),
    pickups: pickups.map(toPickupInput),
    packages: packages.map(toPackageInput),
  });
}

export function toFact({ key, value, ...others }: contract.MetadataEntryInput): readonly [key: string, value: string] {
  others satisfies NoKey;
  return [key, value];
}

function toPickupInput({ address, instructions, sender, ...others }: contract.PickupInput): domain.PickupInput {
  others satisfies NoKey;
  return omitUndefined<domain.PickupInput>({
    address: toAddressInput(address),
    instructions: instructions ?? undefined,
    sender: sender ? toSender(sender) : undefined,
  });
}

function toSender({ name, phone, ...others }: contract.SenderInput): Sender {
  others satisfies NoKey;
  return omitUndefined<Sender>({ name, phone: phone || undefined });
}

export function toAddressInput({ address, complement, location, ...others }: contract.AddressInput): Address {
  others satisfies NoKey;
  const at = location ? toLocation(location) : undefined;
  return omitUndefined<Address>({ address, complement: complement ?? undefined, location: at });
}

function toLocation({ latitude, longitude, accuracy, ...others }: contract.CoordinatesInput): Coordinates {
  others satisfies NoKey;
  return omitUndefined<Coordinates>({ latitude, longitude, accuracyMetres: accuracy ?? undefined });
}

function toPackageInput(input: contract.PackageInput): domain.PackageInput {
  const { pickupIndex, recipient, address, dimensions, instructions, ...options } = input;
  const { deliveryPin, declaredValue, fiscalDocument, deliverFrom, deliverBy, reference, ...others } = options;
  others satisfies NoKey;
  return omitUndefined<domain.PackageInput>({
    pickupIndex,
    recipient: toRecipient(recipient),
    address: toAddressInput(address),
    instructions: instructions ?? undefined,
    dimensions: toDimensions(dimensions),
    items: undefined,
    deliveryPin: deliveryPin === true,
    declaredCentavos: toCentavos(declaredValue),
    fiscalDocument: fiscalDocument ? toDocument(fiscalDocument) : undefined,
    deliverFrom: deliverFrom || undefined,
    deliverBy: deliverBy || undefined,
    reference: reference || undefined,
  });
}

/** Reads a time. Undefined without a time, and for a refused time, which is an empty text here. */
export const toReadyTime = (time: string | null | undefined): Date | undefined => toTime(time || undefined);

/** Reads an amount. Undefined without an amount, and for a refused amount, which is an empty text here. */
export const toCentavos = (money: string | null | undefined): Centavos | undefined =>
  money ? parseMoney(money) : undefined;

function toRecipient({ name, phone, taxId, ...others }: contract.RecipientInput): Recipient {
  others satisfies NoKey;
  return omitUndefined<Recipient>({ name, phone, taxId: taxId ?? undefined });
}

function toDocument({ kind, key, reason, ...others }: contract.FiscalDocumentInput): FiscalDocument {
  others satisfies NoKey;
  return omitUndefined<FiscalDocument>({ kind, key: key ?? undefined, reason: reason ?? undefined });
}

export function toDimensions({ width, height, length, weight, ...others }: contract.DimensionsInput): Dimensions {
  others satisfies NoKey;
  return { width, height, length, weight };
}
