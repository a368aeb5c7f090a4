import type { NoKey } from '../base/every-key.js';
import type { ActionRequired, PickupAgency } from '../packages/movement.js';
import type { Bodies, Schemas } from './deps.js';

interface Facts {
  actionRequired?: ActionRequired | null;
  pickupAgency?: PickupAgency | null;
}

/** Facts of a movement besides its status, time and place, in the contract's names. */
export const toFacts = ({ actionRequired, pickupAgency }: Facts) => ({
  action_required: actionRequired ? toActionRequired(actionRequired) : undefined,
  pickup_agency: pickupAgency ? toPickupAgency(pickupAgency) : undefined,
});

const toActionRequired = ({ reasonLabel, reasonDescription }: ActionRequired): Bodies['ActionRequired'] => ({
  reason_label: reasonLabel,
  reason_description: reasonDescription,
});

const toPickupAgency = ({ address, city, state, postalCode }: PickupAgency): Bodies['PickupAgency'] => ({
  address,
  city,
  state,
  postal_code: postalCode,
});

/** The same in the domain's names. */
export function fromActionRequired(body: Schemas['ActionRequired']): ActionRequired {
  const { reason_label, reason_description, ...others } = body;
  others satisfies NoKey;
  return { reasonLabel: reason_label, reasonDescription: reason_description };
}

export function fromPickupAgency({
  address,
  city,
  state,
  postal_code,
  ...others
}: Schemas['PickupAgency']): PickupAgency {
  others satisfies NoKey;
  return { address, city, state, postalCode: postal_code };
}
