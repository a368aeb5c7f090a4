import type { ActionRequired, PickupAgency } from '../packages/movement.js';
import type { Schemas } from './deps.js';

interface Facts {
  actionRequired?: ActionRequired | null;
  pickupAgency?: PickupAgency | null;
}

/** What a movement says beyond its status, its time and its place, in the contract's names. */
export const toFacts = ({ actionRequired, pickupAgency }: Facts) => ({
  ...(actionRequired && { action_required: toActionRequired(actionRequired) }),
  ...(pickupAgency && { pickup_agency: toPickupAgency(pickupAgency) }),
});

const toActionRequired = (action: ActionRequired): Schemas['ActionRequired'] => ({
  reason_label: action.reasonLabel,
  reason_description: action.reasonDescription,
});

const toPickupAgency = ({ postalCode, ...agency }: PickupAgency): Schemas['PickupAgency'] => ({
  ...agency,
  postal_code: postalCode,
});

/** The same in the domain's names. */
export const fromFacts = ({ action_required: action, pickup_agency: agency }: Schemas['MovementInput']) => ({
  ...(action && { actionRequired: fromActionRequired(action) }),
  ...(agency && { pickupAgency: fromPickupAgency(agency) }),
});

const fromActionRequired = (action: Schemas['ActionRequired']): ActionRequired => ({
  reasonLabel: action.reason_label,
  reasonDescription: action.reason_description,
});

const fromPickupAgency = ({ postal_code: postalCode, ...agency }: Schemas['PickupAgency']): PickupAgency => ({
  ...agency,
  postalCode,
});
