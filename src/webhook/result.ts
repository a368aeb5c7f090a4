import type { Outcome } from '../deliveries/outcome.js';
import { classify } from '../deliveries/outcome.js';
import type { AttemptResult } from '../deliveries/record.js';
import type { Verdict } from '../deliveries/schedule.js';
import type { Load } from './load.js';

interface Attempted {
  outcome: Outcome;
  verdict: Verdict;
  attemptedAt: Date;
  /** The receiver took longer than a prompt one does. */
  slow: boolean;
}

/** What is written of an attempt. */
export function toResult(
  { claim, kind, webhookId, attemptsBefore }: Load,
  { outcome, verdict, attemptedAt, slow }: Attempted,
): AttemptResult {
  const answered = outcome.kind === 'answered' ? outcome : undefined;
  return {
    laneId: claim.laneId,
    claimId: claim.claimId,
    endpointId: claim.endpoint.id,
    webhookId,
    number: attemptsBefore + claim.attempts + 1,
    replay: kind === 'replay',
    verdict,
    outcome: classify(outcome),
    attemptedAt,
    durationMs: outcome.durationMs,
    statusCode: answered?.status ?? null,
    error: outcome.kind === 'answered' ? null : outcome.error,
    responseBody: answered?.body ?? null,
    slowAccountId: slow ? claim.accountId : null,
  };
}
