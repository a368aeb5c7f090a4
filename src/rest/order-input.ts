import { toTime } from '../base/clock.js';
import type { Dimensions } from '../base/dimensions.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { parseMoney } from '../base/money.js';
import type { Coordinates } from '../base/place.js';
import type { OrderInput, PackageInput, PickupInput } from '../orders/order.js';
import type { PackageItem } from '../packages/package.js';
import type { FiscalDocument, Recipient } from '../packages/recipient.js';
import type { Address, Sender } from '../packages/stop.js';
import type { Schemas } from './deps.js';

export function toInput(body: Schemas['OrderCreate']): OrderInput {
  const { payment_method_id, external_id, service, expected_total, ready_at, metadata, ...stops } = body;
  const { pickups, packages, ...others } = stops;
  others satisfies NoKey;
  return omitUndefined<OrderInput>({
    paymentMethodId: payment_method_id,
    externalId: external_id,
    service,
    expectedCentavos: toCentavos(expected_total),
    readyAt: toTime(ready_at),
    metadata: metadata && Object.entries(metadata),
    pickups: pickups.map(toPickupInput),
    packages: packages.map(toPackageInput),
  });
}

function toPickupInput({ address, instructions, sender, ...others }: Schemas['PickupInput']): PickupInput {
  others satisfies NoKey;
  return omitUndefined<PickupInput>({
    address: toAddressInput(address),
    instructions,
    sender: sender && toSender(sender),
  });
}

function toSender({ name, phone, ...others }: Schemas['SenderInput']): Sender {
  others satisfies NoKey;
  return omitUndefined<Sender>({ name, phone });
}

function toPackageInput(body: Schemas['PackageInput']): PackageInput {
  const { pickup_index, recipient, address, instructions, dimensions, items, ...options } = body;
  const { delivery_pin, declared_value, fiscal_document, deliver_from, deliver_by, reference, ...others } = options;
  others satisfies NoKey;
  return omitUndefined<PackageInput>({
    pickupIndex: pickup_index,
    recipient: toRecipient(recipient),
    address: toAddressInput(address),
    instructions,
    dimensions: dimensions && toDimensions(dimensions),
    items: items?.map(toItem),
    deliveryPin: delivery_pin,
    declaredCentavos: toCentavos(declared_value),
    fiscalDocument: fiscal_document && toDocument(fiscal_document),
    deliverFrom: deliver_from,
    deliverBy: deliver_by,
    reference,
  });
}

export const toCentavos = (money: string | undefined) => (money === undefined ? undefined : parseMoney(money));

export function toAddressInput({ address, complement, location, ...others }: Schemas['AddressInput']): Address {
  others satisfies NoKey;
  return omitUndefined<Address>({ address, complement, location: location && toLocation(location) });
}

function toLocation({ latitude, longitude, accuracy, ...others }: Schemas['CoordinatesInput']): Coordinates {
  others satisfies NoKey;
  return omitUndefined<Coordinates>({ latitude, longitude, accuracyMetres: accuracy });
}

function toRecipient({ name, phone, tax_id: taxId, ...others }: Schemas['RecipientInput']): Recipient {
  others satisfies NoKey;
  return omitUndefined<Recipient>({ name, phone, taxId });
}

function toDocument({ kind, key, reason, ...others }: Schemas['FiscalDocumentInput']): FiscalDocument {
  others satisfies NoKey;
  return omitUndefined<FiscalDocument>({ kind, key, reason });
}

export function toDimensions({ width, height, length, weight, ...others }: Schemas['DimensionsInput']): Dimensions {
  others satisfies NoKey;
  return { width, height, length, weight };
}

export function toItem({ product_id, quantity, ...others }: Schemas['PackageItemInput']): PackageItem {
  others satisfies NoKey;
  return { productId: product_id, quantity };
}
