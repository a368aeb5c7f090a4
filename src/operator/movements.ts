import type { KeyRing } from '../base/keys.js';
import { snakePath } from '../http/errors.js';
import type { Handover, MovementOutcome, NewMovement, Proof } from '../packages/movement.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';
import { fromFacts } from './facts.js';

export const movementsHandlers = ({ recording, endpoints }: OperatorDeps): OperatorHandlers<'recordMovements'> => ({
  recordMovements: async ({ body, ctx }) =>
    recording.writeOf(
      body.movements.map((each) => fromMovement(each, endpoints.encryptionKeys)),
      (outcomes) => ({ status: 200 as const, body: { results: outcomes.map(toResult) } }),
      ctx.origin,
    ),
});

const fromMovement = (input: Schemas['MovementInput'], keys: KeyRing): NewMovement => ({
  id: input.id,
  loggiKey: input.loggi_key,
  statusCode: input.status_code,
  happenedAt: input.happened_at,
  location: input.location ?? null,
  ...fromFacts(input),
  ...((input.proof || input.pin !== undefined) && { handover: fromHandover(input, keys) }),
});

const fromHandover = ({ proof, pin }: Schemas['MovementInput'], keys: KeyRing): Handover => ({
  ...(proof && { proof: fromProof(proof) }),
  ...(pin !== undefined && { pin }),
  keys,
});

const fromProof = (proof: Schemas['DeliveryProofInput']): Proof => ({
  ...(proof.recipient_name !== undefined && { recipientName: proof.recipient_name }),
  ...(proof.recipient_document !== undefined && { recipientDocument: proof.recipient_document }),
  ...(proof.position && { position: proof.position }),
});

function toResult(outcome: MovementOutcome): Schemas['MovementResult'] {
  if (outcome.result !== 'refused' || outcome.field === undefined) return outcome;
  return { ...outcome, field: snakePath(outcome.field) };
}
