import { AggregatorRegistry, Registry } from 'prom-client';
import { metricsIn } from '../base/metrics.js';
import { isFields } from '../base/values.js';

/** The metrics of a process: `getMetricsAsJSON` of prom-client. */
type Snapshot = readonly object[];

const isSnapshot = (value: unknown): value is Snapshot => Array.isArray(value) && value.every(isFields);
const isSum = (metric: object): boolean => ['counter', 'histogram'].includes(String(Reflect.get(metric, 'type')));
const merge = (snapshots: readonly Snapshot[]): Registry =>
  AggregatorRegistry.aggregate(snapshots.map((each) => [...each]));

/**
 * The metrics of several processes as one: sums, but for gauges that say otherwise by their `aggregator`. `read` asks
 * the running ones; `metrics` is undefined when one does not answer.
 */
export function mergeMetrics(
  wanted: number,
  read: () => Promise<readonly { pid: number; isReady: boolean; metrics: unknown }[]>,
) {
  const own = new Registry();
  const { counter, gauge } = metricsIn(own);
  gauge('malote_processes_wanted', 'Processes that there should be').set(wanted);
  const ready = gauge('malote_processes_ready', 'Processes that are ready');
  const ends = counter('malote_process_ends_total', 'Processes that ended unasked');
  const latest = new Map<number, Snapshot>();
  let past: Promise<Snapshot> = Promise.resolve([]);

  async function merged(): Promise<Registry> {
    const processes = await read();
    ready.set(processes.filter(({ isReady }) => isReady).length);
    for (const { pid, metrics } of processes) {
      // Of one that does not answer nobody knows more than what it had counted.
      latest.set(pid, isSnapshot(metrics) ? metrics : (latest.get(pid) ?? []).filter(isSum));
    }
    return merge([await own.getMetricsAsJSON(), await past, ...latest.values()]);
  }

  return {
    contentType: own.contentType,
    metrics: async () => (await merged()).metrics(),
    /** A process has ended: what it counted until its last snapshot stays in the sums, as a counter must not fall. */
    ended: (pid: number): void => {
      const sums = latest.get(pid)?.filter(isSum) ?? [];
      latest.delete(pid);
      ends.inc();
      past = past.then((before) => merge([before, sums]).getMetricsAsJSON());
    },
  };
}
