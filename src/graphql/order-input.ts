import type { AddressInput, CreateOrderInput, PackageInput, PickupInput } from '../../generated/graphql.js';
import type { FieldError } from '../base/errors.js';
import type * as domain from '../orders/order.js';

/** GraphQL passes on a null that was sent; in the domain such a field is left out. */
export function toInput(input: CreateOrderInput): domain.OrderInput {
  const { paymentMethod, externalId, pickups, packages } = input;
  return {
    paymentMethodId: paymentMethod,
    ...(externalId == null ? {} : { externalId }),
    pickups: pickups.map(toPickup),
    packages: packages.map(toPackage),
  };
}

type StopInput = Pick<PickupInput, 'address' | 'instructions'>;

function toPickup({ address, instructions }: StopInput): domain.PickupInput {
  const pickup = { address: toAddress(address) };
  return instructions == null ? pickup : { ...pickup, instructions };
}

function toAddress({ address, complement }: AddressInput): domain.PickupInput['address'] {
  return complement == null ? { address } : { address, complement };
}

function toPackage(input: PackageInput): domain.PackageInput {
  const { pickupIndex, recipient, dimensions } = input;
  return { pickupIndex, recipient, dimensions, ...toPickup(input) };
}

/** A field error of the domain under the contract's name of the field. */
export function toFieldError({ field, message }: FieldError): FieldError {
  return { field: field === 'paymentMethodId' ? 'paymentMethod' : field, message };
}
