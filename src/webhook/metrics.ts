import type { Registry } from 'prom-client';
import { type MetricMaker, metricsIn } from '../base/telemetry/metrics.js';
import { attemptOutcomes } from '../db/tables/deliveries.js';
import type { Claim } from '../queue/claim.js';
import type { AttemptResult, Recorded } from '../queue/record.js';
import { type OwnFailureKind, ownFailureTexts } from './own-failures.js';

export interface WebhookMetrics {
  claimed(claims: readonly Claim[]): void;
  inFlight(count: number): void;
  recorded(result: AttemptResult, recorded: Recorded, reused: boolean): void;
  ownFailure(trouble: OwnFailureKind): void;
  trouble(trouble: OwnFailureKind, isThere: boolean): void;
}

type SettledAttempt = Extract<Recorded, { kind: 'recorded' }>;

/** Buckets in seconds, from an idle service to the last attempts of the schedule. */
const latencies = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60, 600, 3_600, 21_600, 86_400, 345_600];

/** Registers the metrics of a worker. A registry can have only one worker. */
export function createMetrics(registry: Registry): WebhookMetrics {
  const metrics = metricsIn(registry);
  const { counter, gauge } = metrics;
  const flying = gauge('malote_webhook_in_flight', 'Requests under way');
  const outcomes = { outcome: attemptOutcomes };
  const attempts = counter('malote_webhook_attempts_total', 'Requests by their outcome', outcomes);
  const expiriesHelp = 'Lanes taken over from a worker that did not return them';
  const expiries = counter('malote_webhook_lease_expiries_total', expiriesHelp);
  const lost = counter('malote_webhook_leases_lost_total', 'Results that arrived after their lease had run out');
  const connectionsHelp = 'Requests by whether they found an open connection';
  const connections = counter('malote_webhook_connections_total', connectionsHelp, { reused: ['true', 'false'] });
  const settled = createSettledMetrics(metrics);
  const kinds = { trouble: Object.keys(ownFailureTexts) };
  const failuresHelp = 'Requests that could not be sent for a reason of this machine, and were not counted as attempts';
  const ownFailures = counter('malote_webhook_own_failures_total', failuresHelp, kinds);
  const troublesHelp = 'Processes that cannot send for a reason of their own machine';
  const troubles = gauge('malote_webhook_trouble', troublesHelp, kinds);
  return {
    claimed: (claims: readonly Claim[]): void => expiries.inc(claims.filter(({ takenOver }) => takenOver).length),
    inFlight: (count: number): void => flying.set(count),
    recorded: (result: AttemptResult, recorded: Recorded, reused: boolean): void => {
      attempts.inc({ outcome: result.outcome });
      connections.inc({ reused: String(reused) });
      if (recorded.kind === 'lease-lost') lost.inc();
      else settled(result, recorded);
    },
    ownFailure: (trouble: OwnFailureKind): void => ownFailures.inc({ trouble }),
    trouble: (trouble: OwnFailureKind, isThere: boolean): void => troubles.set({ trouble }, isThere ? 1 : 0),
  };
}

function createSettledMetrics({ counter, histogram }: MetricMaker) {
  const letters = counter('malote_webhook_dead_letters_total', 'Deliveries whose last attempt failed');
  const disabled = counter('malote_webhook_endpoints_disabled_total', 'Endpoints disabled by what their receivers did');
  const latencyHelp = 'From the commit of a movement to the acknowledgement of its notification';
  const latency = histogram('malote_webhook_delivery_latency_seconds', latencyHelp, latencies);
  const lagHelp =
    'From a movement to the acknowledgement of its notification, or its dead letter; superseded by malote_webhook_delivery_latency_seconds';
  const lag = histogram('malote_webhook_lag_seconds', lagHelp, latencies);
  return ({ outcome, verdict, replay }: AttemptResult, { agesMs, endpointDisabled }: SettledAttempt): void => {
    for (const ageMs of agesMs) {
      lag.observe(ageMs / 1000);
      if (outcome === 'acknowledged') latency.observe(ageMs / 1000);
    }
    if (verdict.kind === 'dead' && !replay && agesMs.length > 0) letters.inc();
    if (endpointDisabled) disabled.inc();
  };
}
