import { Histogram, type Registry } from 'prom-client';

export interface RequestMetrics {
  /** `aborted`: the client did not wait for the whole answer. */
  ended(interfaceName: string, operation: string, status: number | 'aborted', seconds: number): void;
}

/** Names come from the contracts and statuses from the code, so that no client can make new series. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests by interface, operation of its contract, and status; a GraphQL answer of 200 counts under the status of its gravest error',
    labelNames: ['interface', 'operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    ended: (interfaceName, operation, status, seconds) =>
      durations.observe({ interface: interfaceName, operation, status }, seconds),
  };
}
