import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { loginRefusals, type OnLoginRefused } from '../accounts/sign-in.js';
import type { Sweep } from '../base/sweep.js';
import { commit, version } from '../base/version.js';
import type { PoolState, PoolWatcher } from '../db/connect.js';
import type { ListReadOutcome } from '../db/replica.js';
import { budgetNames, type LimitConfig } from '../http/limits/rate-limit.js';
import type { RedisWatcher } from '../http/limits/redis-link.js';
import { requestMetrics } from '../http/server/request-log.js';
import type { PlacingWatcher } from '../orders/place-order.js';
import type { RecordingWatcher } from '../orders/record-together.js';
import type { FeedWatcher } from '../pages/tracking/feed.js';
import type { PlanningWatcher } from '../routing/remote/fallback.js';

/**
 * The figures that a process counts itself; each part gets a watcher and knows no metric. Labels that are known
 * beforehand begin at 0, so that the first shows as a rise. Others: database-figures.ts, webhook/metrics.ts.
 */
export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

const interfaces = ['rest', 'graphql', 'operator', 'pages'];

/** Registers the metrics of a process; once for each registry. */
export function serviceMetrics(registry: Registry) {
  collectDefaultMetrics({ register: registry });
  buildInfo(registry);
  return {
    requests: requestMetrics(registry),
    ...refusals(registry),
    redis: () => redisMetrics(registry),
    pool: poolMetrics(registry),
    ...orderMetrics(registry),
    planning: planningMetrics(registry),
    openPages: openPagesMetric(registry),
    runSweep: sweepMetrics(registry),
    /** Counts lists by their source; only where there is a replica. */
    listReads: (): ((outcome: ListReadOutcome) => void) => {
      const help =
        'Lists by who answered: the replica, or the primary because the replica was behind, failed or is resting after that';
      const reads = counterIn(registry)('malote_list_reads_total', help, 'outcome');
      return (outcome) => reads.inc({ outcome });
    },
  };
}

const counterIn =
  (registry: Registry) =>
  <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });

function buildInfo(registry: Registry): void {
  const labelNames = ['version', 'commit', 'node'];
  const help = 'Always 1: version and commit of the service, version of Node';
  new Gauge({ name: 'malote_build_info', help, labelNames, aggregator: 'first', registers: [registry] }).set(
    { version, commit, node: process.version },
    1,
  );
}

type Refusals = { onRefused: NonNullable<LimitConfig['onRefused']>; onLoginRefused: OnLoginRefused };

function refusals(registry: Registry): Refusals {
  const counter = counterIn(registry);
  const help = 'Requests refused as their budget was used up';
  const limited = counter('malote_rate_limit_refusals_total', help, 'interface', 'budget');
  const logins = counter('malote_login_refusals_total', 'Logins refused, by reason', 'reason');
  for (const name of interfaces) for (const budget of budgetNames) limited.inc({ interface: name, budget }, 0);
  for (const reason of loginRefusals) logins.inc({ reason }, 0);
  return {
    onRefused: (interfaceName, budget) => limited.inc({ interface: interfaceName, budget }),
    onLoginRefused: (reason) => logins.inc({ reason }),
  };
}

function redisMetrics(registry: Registry): RedisWatcher {
  const connected = new Gauge({
    name: 'malote_rate_limit_redis_connected',
    help: 'Whether rate limits are counted in Redis; 0 while each process counts alone',
    aggregator: 'min',
    registers: [registry],
  });
  const counter = counterIn(registry);
  const losses = counter('malote_rate_limit_redis_losses_total', 'How often Redis stopped to answer');
  const alone = counter('malote_rate_limit_counted_alone_total', 'Requests counted in the process instead of in Redis');
  return {
    onState: (isConnected) => {
      connected.set(isConnected ? 1 : 0);
      if (!isConnected) losses.inc();
    },
    onAlone: () => alone.inc(),
  };
}

function poolMetrics(registry: Registry): (pool: string) => PoolWatcher {
  const pools = new Map<string, () => PoolState>();
  const gauge = (name: string, help: string, part: keyof PoolState) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, read] of pools) this.set({ pool }, read()[part]);
      },
    });
  gauge('malote_database_pool_connections', 'Connections of the pool, in use or idle', 'size');
  gauge('malote_database_pool_idle', 'Connections that nobody uses', 'idle');
  gauge('malote_database_pool_waiting', 'Those who wait for a connection', 'waiting');
  const help = 'Those who got no connection: the database was out of reach, or none became free in time';
  const errors = counterIn(registry)('malote_database_pool_acquire_errors_total', help, 'pool');
  return (pool) => {
    errors.inc({ pool }, 0);
    return { onPool: (read) => void pools.set(pool, read), onAcquireError: () => errors.inc({ pool }) };
  };
}

function orderMetrics(registry: Registry): { placing: PlacingWatcher; recording: RecordingWatcher } {
  const counter = counterIn(registry);
  const orders = counter('malote_orders_created_total', 'Orders created, by interface', 'interface');
  const movementsHelp = "Movements reported at the operator's interface, by what came of them";
  const movements = counter('malote_movements_reported_total', movementsHelp, 'result');
  const batches = new Histogram({
    name: 'malote_batch_size',
    help: 'Orders, or movements, that are written in one transaction',
    labelNames: ['kind'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers: [registry],
  });
  for (const name of ['rest', 'graphql']) orders.inc({ interface: name }, 0);
  for (const result of ['recorded', 'duplicate', 'refused']) movements.inc({ result }, 0);
  for (const kind of ['orders', 'movements']) batches.zero({ kind });
  return {
    placing: {
      onBatch: (size) => batches.observe({ kind: 'orders' }, size),
      onCreated: (interfaceName) => orders.inc({ interface: interfaceName }),
    },
    recording: {
      onBatch: (size) => batches.observe({ kind: 'movements' }, size),
      onOutcomes: (outcomes) => {
        for (const { result } of outcomes) movements.inc({ result });
      },
    },
  };
}

function planningMetrics(registry: Registry): PlanningWatcher {
  const counter = counterIn(registry);
  const errorsHelp = 'Remote planning services that gave no usable answer';
  const errors = counter('malote_planning_errors_total', errorsHelp, 'service');
  const fallbacksHelp = 'Answers of the embedded planner instead of a remote service, whole or in part';
  const fallbacks = counter('malote_planning_fallbacks_total', fallbacksHelp, 'service');
  for (const service of ['geocoder', 'osrm', 'vroom']) {
    errors.inc({ service }, 0);
    fallbacks.inc({ service }, 0);
  }
  return {
    onFailure: (service) => errors.inc({ service: service.toLowerCase() }),
    onFallback: (service) => fallbacks.inc({ service: service.toLowerCase() }),
  };
}

function openPagesMetric(registry: Registry): FeedWatcher {
  const help = 'Tracking pages that are open and told of movements';
  const gauge = new Gauge({ name: 'malote_tracking_pages_open', help, registers: [registry] });
  return (pages) => gauge.set(pages);
}

function sweepMetrics(registry: Registry): Sweep {
  const labelNames = ['sweep'];
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, aggregator: 'max', registers });
  const successHelp = 'When the sweep last ended well; before its first time, when it began';
  const succeeded = gauge('malote_sweep_last_success_timestamp_seconds', successHelp);
  const interval = gauge('malote_sweep_interval_seconds', 'Pause between two runs of the sweep');
  const counter = counterIn(registry);
  const rows = counter('malote_sweep_rows_total', 'Rows that the sweep removed or changed', 'sweep');
  const errors = counter('malote_sweep_errors_total', 'Runs of the sweep that failed', 'sweep');
  const durations = new Histogram({
    name: 'malote_sweep_duration_seconds',
    help: 'How long the sweep runs',
    labelNames,
    buckets: [0.01, 0.1, 1, 10, 100],
    registers,
  });
  const known = new Set<string>();
  const meet = (sweep: string, everyMs: number): void => {
    if (known.has(sweep)) return;
    known.add(sweep);
    interval.set({ sweep }, everyMs / 1000);
    succeeded.set({ sweep }, Date.now() / 1000);
    rows.inc({ sweep }, 0);
    errors.inc({ sweep }, 0);
  };
  return async (sweep, everyMs, work) => {
    meet(sweep, everyMs);
    const endTimer = durations.startTimer({ sweep });
    try {
      const result = await work();
      if (typeof result === 'number') rows.inc({ sweep }, result);
      succeeded.set({ sweep }, Date.now() / 1000);
      return result;
    } catch (error) {
      errors.inc({ sweep });
      throw error;
    } finally {
      endTimer();
    }
  };
}
