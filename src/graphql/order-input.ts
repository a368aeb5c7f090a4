import type { AddressInput, CreateOrderInput, PackageInput, PickupInput } from '../../generated/graphql.js';
import type { FieldFault } from '../base/errors.js';
import type * as domain from '../orders/order.js';

/** Whether the field at this path has been refused already. */
type Refused = (path: string) => boolean;

/**
 * GraphQL keeps a null that was sent; the domain knows only what is left out. An address that has been refused is blanked, so
 * that no geocoder has to read it.
 */
export function toInput(input: CreateOrderInput, refused: Refused): domain.OrderInput {
  const { paymentMethod, externalId, pickups, packages } = input;
  return {
    paymentMethodId: paymentMethod,
    ...(externalId == null ? {} : { externalId }),
    pickups: pickups.map((pickup, at) => toPickup(pickup, refused(`pickups.${at}.address.address`))),
    packages: packages.map((parcel, at) => toPackage(parcel, refused(`packages.${at}.address.address`))),
  };
}

type StopInput = Pick<PickupInput, 'address' | 'instructions'>;

function toPickup({ address, instructions }: StopInput, blank: boolean): domain.PickupInput {
  const to = toAddress(address, blank);
  return instructions == null ? { address: to } : { address: to, instructions };
}

function toAddress({ address, complement }: AddressInput, blank: boolean): domain.PickupInput['address'] {
  const text = blank ? '' : address;
  return complement == null ? { address: text } : { address: text, complement };
}

function toPackage(parcel: PackageInput, blank: boolean): domain.PackageInput {
  const { pickupIndex, recipient, dimensions } = parcel;
  return { pickupIndex, recipient, dimensions, ...toPickup(parcel, blank) };
}

/** A fault of the domain under the contract's name of the field. */
export function toFieldError({ field, message }: FieldFault): FieldFault {
  return { field: field === 'paymentMethodId' ? 'paymentMethod' : field, message };
}
