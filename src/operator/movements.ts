import { snakePath } from '../http/errors.js';
import { recordMovements } from '../orders/record-movements.js';
import type { ActionRequired, MovementOutcome, NewMovement, PickupAgency } from '../packages/movement.js';
import type { OperatorHandlers, Schemas } from './deps.js';

export const movementsHandlers = (): OperatorHandlers<'recordMovements'> => ({
  recordMovements: async ({ body }) => {
    const movements = body.movements.map(fromMovement);
    return async (trx) => {
      const { outcomes } = await recordMovements(trx, movements);
      return { status: 200, body: { results: outcomes.map(toResult) } };
    };
  },
});

function fromMovement(input: Schemas['MovementInput']): NewMovement {
  const { action_required: action, pickup_agency: agency } = input;
  return {
    id: input.id,
    loggiKey: input.loggi_key,
    statusCode: input.status_code,
    happenedAt: input.happened_at,
    location: input.location ?? null,
    ...(action && { actionRequired: fromActionRequired(action) }),
    ...(agency && { pickupAgency: fromPickupAgency(agency) }),
  };
}

const fromActionRequired = (action: Schemas['ActionRequired']): ActionRequired => ({
  reasonLabel: action.reason_label,
  reasonDescription: action.reason_description,
});

const fromPickupAgency = ({ postal_code: postalCode, ...agency }: Schemas['PickupAgency']): PickupAgency => ({
  ...agency,
  postalCode,
});

function toResult(outcome: MovementOutcome): Schemas['MovementResult'] {
  if (outcome.result !== 'refused' || outcome.field === undefined) return outcome;
  return { ...outcome, field: snakePath(outcome.field) };
}
