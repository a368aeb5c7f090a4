import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Claim } from '../deliveries/claim.js';
import type { AttemptResult, Recorded } from '../deliveries/record.js';
import type { Backlog } from '../deliveries/upkeep.js';
import { type OwnFailureKind, ownFailureTexts } from './own-failures.js';

export interface WebhookMetrics {
  claimed(claims: readonly Claim[]): void;
  inFlight(count: number): void;
  recorded(result: AttemptResult, recorded: Recorded, reused: boolean): void;
  backlog(backlog: Backlog): void;
  ownFailure(kind: OwnFailureKind): void;
  trouble(kind: OwnFailureKind, isThere: boolean): void;
}

// Every process reads the same figure of the database: of several under one supervisor it is told once.
const OF_DATABASE = 'max';

/** Registers the worker's metrics; one worker for each registry. */
export function createMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, aggregator: Aggregator = 'sum') =>
    new Gauge({ name, help, registers, aggregator });
  const counter = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Counter({ name, help, labelNames, registers });

  const oldest = gauge(
    'malote_webhook_oldest_pending_seconds',
    'Age of the oldest notification that is not acknowledged',
    OF_DATABASE,
  );
  const disabled = gauge('malote_webhook_endpoints_disabled', 'Endpoints that are disabled', OF_DATABASE);
  const letters = gauge(
    'malote_webhook_dead_letters',
    'Dead letters: deliveries whose last attempt failed and that were not replayed',
    OF_DATABASE,
  );
  const flying = gauge('malote_webhook_in_flight', 'Requests under way');
  const attempts = counter('malote_webhook_attempts_total', 'Requests by their outcome', 'outcome');
  const expiries = counter(
    'malote_webhook_lease_expiries_total',
    'Lanes taken over from a worker that did not return them',
  );
  const lost = counter('malote_webhook_leases_lost_total', 'Results that arrived after their lease had run out');
  const connections = counter(
    'malote_webhook_connections_total',
    'Requests by whether they found an open connection',
    'reused',
  );
  const ownFailures = counter(
    'malote_webhook_own_failures_total',
    'Requests that could not be sent for a reason of this machine, and were not counted as attempts',
    'trouble',
  );
  const troubles = new Gauge({
    name: 'malote_webhook_trouble',
    help: 'Processes that cannot send for a reason of their own machine',
    labelNames: ['trouble'],
    registers,
  });
  for (const kind of Object.keys(ownFailureTexts)) troubles.set({ trouble: kind }, 0);
  const lag = new Histogram({
    name: 'malote_webhook_lag_seconds',
    help: 'From a movement to the acknowledgement of its notification, or its dead letter',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60, 600, 3_600, 21_600, 86_400, 345_600],
    registers,
  });

  return {
    claimed: (claims) => expiries.inc(claims.filter(({ takenOver }) => takenOver).length),
    inFlight: (count) => flying.set(count),
    recorded: (result, recorded, reused) => {
      attempts.inc({ outcome: result.outcome });
      connections.inc({ reused: String(reused) });
      if (recorded.kind === 'lease-lost') lost.inc();
      else for (const ageMs of recorded.agesMs) lag.observe(ageMs / 1000);
    },
    backlog: ({ oldestSeconds, disabledEndpoints, deadLetters }) => {
      oldest.set(oldestSeconds);
      disabled.set(disabledEndpoints);
      letters.set(deadLetters);
    },
    ownFailure: (trouble) => ownFailures.inc({ trouble }),
    trouble: (trouble, isThere) => troubles.set({ trouble }, isThere ? 1 : 0),
  };
}
