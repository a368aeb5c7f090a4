import { snakePath } from '../http/errors.js';
import type { MovementOutcome, NewMovement } from '../packages/movement.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';
import { fromFacts } from './facts.js';

export const movementsHandlers = ({ recording }: OperatorDeps): OperatorHandlers<'recordMovements'> => ({
  recordMovements: async ({ body, ctx }) =>
    recording.writeOf(
      body.movements.map(fromMovement),
      (outcomes) => ({ status: 200 as const, body: { results: outcomes.map(toResult) } }),
      ctx.origin,
    ),
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
