import { type TraceParent, type Tracer, traceIdOf } from '../base/tracing.js';
import type { AttemptResult } from '../deliveries/record.js';
import type { ClaimedDelivery } from './next-deliveries.js';

/** What an attempt has to do with the traces of its delivery's notifications. */
interface AttemptTrace {
  /** Goes with the request: names the attempt's own span, or else where the oldest notification comes from. */
  readonly traceparent: TraceParent | undefined;
  /** Fields of the attempt's log line: the traces of the requests that caused it. */
  readonly fields: { readonly traceIds?: readonly string[] };
  /** An attempt that was cut off is not reported. */
  end(result: AttemptResult): void;
}

/** The attempt goes on with the trace of the delivery's oldest notification, and is linked to those of the others. */
export function traceAttempt(
  tracer: Tracer | undefined,
  { traceparents }: Pick<ClaimedDelivery, 'traceparents'>,
): AttemptTrace {
  const [parent, ...links] = traceparents;
  const span = tracer?.start('webhook attempt', { kind: 'client', parent, links });
  return {
    traceparent: span?.traceparent ?? parent,
    fields: parent === undefined ? {} : { traceIds: [...new Set(traceparents.map(traceIdOf))] },
    end: (result) => span?.end({ attributes: attributesOf(result), failed: result.outcome !== 'acknowledged' }),
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
