import { snakePath } from '../http/errors.js';
import { recordMovements } from '../orders/record-movements.js';
import type { MovementOutcome, NewMovement } from '../packages/movement.js';
import type { OperatorHandlers, Schemas } from './deps.js';
import { fromFacts } from './facts.js';

export const movementsHandlers = (): OperatorHandlers<'recordMovements'> => ({
  recordMovements: async ({ body }) => {
    const movements = body.movements.map(fromMovement);
    return async (trx) => {
      const { outcomes } = await recordMovements(trx, movements);
      return { status: 200, body: { results: outcomes.map(toResult) } };
    };
  },
});

const fromMovement = (input: Schemas['MovementInput']): NewMovement => ({
  id: input.id,
  loggiKey: input.loggi_key,
  statusCode: input.status_code,
  happenedAt: input.happened_at,
  location: input.location ?? null,
  ...fromFacts(input),
});

function toResult(outcome: MovementOutcome): Schemas['MovementResult'] {
  if (outcome.result !== 'refused' || outcome.field === undefined) return outcome;
  return { ...outcome, field: snakePath(outcome.field) };
}
