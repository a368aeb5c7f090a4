import { performance } from 'node:perf_hooks';
import type { Logger } from '../base/telemetry/log.js';
import { type TraceParent, type Tracer, traceIdOf } from '../base/telemetry/tracing.js';
import type { Claim } from '../queue/claim.js';
import type { AttemptResult } from '../queue/record.js';
import { nextAttempt } from '../queue/schedule.js';
import type { WebhookMetrics } from './metrics.js';
import type { ClaimedDelivery } from './next-deliveries.js';
import { type Recorder, toResult } from './recorder.js';
import type { Sent } from './request.js';
import type { WorkerSettings } from './settings.js';
import type { Slots } from './slots.js';
import type { Troubles } from './troubles.js';

export interface AttemptDeps {
  send(delivery: ClaimedDelivery, sentAt: Date, signal: AbortSignal, trace?: TraceParent): Promise<Sent>;
  recorder: Recorder;
  /** Gives lanes back before anything was sent. They can be claimed at once, or after the pause. */
  release(claims: readonly Claim[], pauseMs?: number): Promise<void>;
  troubles: Troubles;
  settings: WorkerSettings;
  metrics: WebhookMetrics;
  log: Logger;
  tracer?: Tracer | undefined;
  random(): number;
}

/**
 * The times of a claim, on the clock of performance.now(): when it was answered, and until when its lease surely holds.
 */
export interface Lease {
  claimedAt: number;
  leasedUntil: number;
}

/** Makes and records one attempt. True if more notifications wait in the lane. Model: Lanes!Send (lab/models) */
export async function attempt(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  { claimedAt, leasedUntil }: Lease,
  { signal, isSlow }: { signal: AbortSignal; isSlow: Slots['isSlow'] },
): Promise<boolean> {
  const { claim, kind } = delivery;
  // A request that outlives its lease could arrive after the request of the next worker, with an older state.
  if (performance.now() + deps.settings.deadlineMs > leasedUntil) {
    await deps.release([claim]);
    return false;
  }
  const sentAt = new Date(claim.claimedAt.getTime() + performance.now() - claimedAt);
  const trace = traceAttempt(deps.tracer, delivery);
  const { outcome, reused, ownFailure } = await deps.send(delivery, sentAt, signal, trace.traceparent);
  const number = claim.attempts + 1;
  if (signal.aborted && outcome.kind !== 'answered') {
    await deps.release([claim]);
    const { webhookId, attemptsBefore } = delivery;
    const fields = { laneId: claim.laneId, endpointId: claim.endpoint.id, webhookId, number: attemptsBefore + number };
    deps.log.info({ ...fields, outcome: 'cut', durationMs: outcome.durationMs }, 'webhook.attempt');
    return false;
  }
  if (ownFailure) {
    await deps.release([claim], deps.troubles.failed(ownFailure));
    return false;
  }
  const startedAt = performance.now() - outcome.durationMs;
  deps.troubles.passed(startedAt, reused || outcome.kind === 'not_sent' ? 'keys' : 'sending');
  const verdict = nextAttempt(deps.settings.schedule, { kind, number, outcome }, deps.random, sentAt);
  const slow = isSlow(outcome.durationMs);
  const result = toResult(delivery, { outcome, verdict, attemptedAt: sentAt, slow });
  const recording = await deps.recorder.record(result, leasedUntil);
  trace.end(result);
  deps.metrics.recorded(result, recording, reused);
  const { responseBody: _, error: reason, ...fields } = result;
  deps.log.info({ ...fields, reason, recorded: recording.kind, ...trace.fields }, 'webhook.attempt');
  return recording.kind === 'recorded' && recording.lane === 'ready';
}

/** Continues the trace of the oldest notification in the delivery, with links to the traces of the others. */
function traceAttempt(tracer: Tracer | undefined, { traceparents }: Pick<ClaimedDelivery, 'traceparents'>) {
  const [parent, ...links] = traceparents;
  const span = tracer?.start('webhook attempt', { kind: 'client', parent, links });
  return {
    /**
     * The trace header of the request. It names the span of the attempt, or without tracing the oldest notification's
     * span.
     */
    traceparent: span?.traceparent ?? parent,
    /** Fields of the log line: traces of the requests that caused the attempt. */
    fields: parent === undefined ? {} : { traceIds: [...new Set(traceparents.map(traceIdOf))] },
    /** Ends the span. An attempt that was cut off never calls this. */
    end: (result: AttemptResult) =>
      span?.end({ attributes: attributesOf(result), failed: result.outcome !== 'acknowledged' }),
  };
}

const attributesOf = ({ webhookId, endpointId, number, outcome, statusCode }: AttemptResult) => ({
  'http.request.method': 'POST',
  'malote.webhook_id': webhookId,
  'malote.endpoint_id': endpointId,
  'malote.attempt': number,
  'malote.outcome': outcome,
  ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
});
