import { collectDefaultMetrics, type Registry } from 'prom-client';
import { loginRefusals, type OnLoginRefused } from '../accounts/sign-in.js';
import type { Sweep } from '../base/background.js';
import { type MetricMaker, metricsIn } from '../base/telemetry/metrics.js';
import { commit, version } from '../base/version.js';
import type { PoolState, PoolWatcher } from '../db/connect.js';
import type { ListReadOutcome } from '../db/lists/replica.js';
import { budgetNames, type LimitConfig } from '../http/limits/rate-limit.js';
import type { RedisWatcher } from '../http/limits/redis-link.js';
import { requestMetrics } from '../http/server/request-log.js';
import type { PlacingWatcher } from '../orders/place-order.js';
import type { RecordingWatcher } from '../orders/record-together.js';
import { type Kept, keptReasons } from '../orders/retention/old-orders.js';
import type { PlanningWatcher } from '../routing/remote/fallback.js';

/**
 * Registers the figures that a process counts itself. Call it once per registry. Each part gets a watcher, so it knows
 * no metric. Other metrics: database-figures.ts, webhook/metrics.ts.
 */
export function serviceMetrics(registry: Registry) {
  collectDefaultMetrics({ register: registry });
  const metrics = metricsIn(registry);
  const { counter, gauge } = metrics;
  const buildHelp = 'Always 1: version and commit of the service, version of Node';
  const build = gauge('malote_build_info', buildHelp, { version: [], commit: [], node: [] });
  build.set({ version, commit, node: process.version }, 1);
  const openPages = gauge('malote_tracking_pages_open', 'Tracking pages that are open and told of movements');
  return {
    requests: requestMetrics(metrics),
    ...refusals(metrics),
    redis: () => redisMetrics(metrics),
    pool: poolMetrics(metrics),
    ...orderMetrics(metrics),
    planning: planningMetrics(metrics),
    openPages: (pages: number): void => openPages.set(pages),
    runSweep: sweepMetrics(metrics),
    /** Counts the months of old orders that stay. Registered only if old orders are removed. */
    retention: () => {
      const help = 'Months of old orders that stay, by what keeps them, as of the last look';
      const kept = gauge('malote_retention_kept_months', help, { reason: keptReasons });
      return {
        onKept: (months: readonly Kept[]) => {
          for (const reason of keptReasons)
            kept.set({ reason }, months.filter((month) => month.reason === reason).length);
        },
      };
    },
    /** Counts lists by who answered them. Registered only if there is a replica. */
    listReads: () => {
      const help =
        'Lists by who answered: the replica, or the primary because the replica was behind, failed or is resting after that';
      const reads = counter('malote_list_reads_total', help, { outcome: [] });
      return (outcome: ListReadOutcome) => reads.inc({ outcome });
    },
  };
}

type Refusals = { onRefused: NonNullable<LimitConfig['onRefused']>; onLoginRefused: OnLoginRefused };

function refusals({ counter }: MetricMaker): Refusals {
  const budgets = { interface: ['rest', 'graphql', 'operator', 'pages'], budget: budgetNames };
  const limited = counter('malote_rate_limit_refusals_total', 'Requests refused as their budget was used up', budgets);
  const logins = counter('malote_login_refusals_total', 'Logins refused, by reason', { reason: loginRefusals });
  return {
    onRefused: (interfaceName, budget) => limited.inc({ interface: interfaceName, budget }),
    onLoginRefused: (reason) => logins.inc({ reason }),
  };
}

function redisMetrics({ counter, gauge }: MetricMaker): RedisWatcher {
  const connectedHelp = 'Whether rate limits are counted in Redis; 0 while each process counts alone';
  const connected = gauge('malote_rate_limit_redis_connected', connectedHelp);
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

function poolMetrics({ counter, gauge }: MetricMaker): (pool: string) => PoolWatcher {
  const pools = new Map<string, () => PoolState>();
  const partGauge = (name: string, help: string, part: keyof PoolState) =>
    gauge(
      name,
      help,
      { pool: [] },
      {
        collect() {
          for (const [pool, read] of pools) this.set({ pool }, read()[part]);
        },
      },
    );
  partGauge('malote_database_pool_connections', 'Connections of the pool, in use or idle', 'size');
  partGauge('malote_database_pool_idle', 'Connections that nobody uses', 'idle');
  partGauge('malote_database_pool_waiting', 'Those who wait for a connection', 'waiting');
  const help = 'Those who got no connection: the database was out of reach, or none became free in time';
  const errors = counter('malote_database_pool_acquire_errors_total', help, { pool: [] });
  return (pool) => {
    errors.inc({ pool }, 0);
    return { onPool: (read) => void pools.set(pool, read), onAcquireError: () => errors.inc({ pool }) };
  };
}

function orderMetrics({ counter, histogram }: MetricMaker): { placing: PlacingWatcher; recording: RecordingWatcher } {
  const creators = { interface: ['rest', 'graphql'] };
  const orders = counter('malote_orders_created_total', 'Orders created, by interface', creators);
  const movementsHelp = "Movements reported at the operator's interface, by what came of them";
  const results = { result: ['recorded', 'duplicate', 'refused'] };
  const movements = counter('malote_movements_reported_total', movementsHelp, results);
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
  const batchHelp = 'Orders, or movements, that are written in one transaction';
  const batches = histogram('malote_batch_size', batchHelp, sizes, { kind: ['orders', 'movements'] });
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

function planningMetrics({ counter }: MetricMaker): PlanningWatcher {
  const services = { service: ['geocoder', 'osrm', 'vroom'] };
  const errorsHelp = 'Remote planning services that gave no usable answer';
  const errors = counter('malote_planning_errors_total', errorsHelp, services);
  const fallbacksHelp = 'Answers of the embedded planner instead of a remote service, whole or in part';
  const fallbacks = counter('malote_planning_fallbacks_total', fallbacksHelp, services);
  return {
    onFailure: (service) => errors.inc({ service: service.toLowerCase() }),
    onFallback: (service) => fallbacks.inc({ service: service.toLowerCase() }),
  };
}

function sweepMetrics({ counter, gauge, histogram }: MetricMaker): Sweep {
  const bySweep = { sweep: [] };
  const successHelp = 'When the sweep last ended well; before its first time, when it began';
  const succeeded = gauge('malote_sweep_last_success_timestamp_seconds', successHelp, bySweep);
  const intervalHelp = 'Pause between two runs of the sweep';
  const interval = gauge('malote_sweep_interval_seconds', intervalHelp, bySweep);
  const rows = counter('malote_sweep_rows_total', 'Rows that the sweep removed or changed', bySweep);
  const errors = counter('malote_sweep_errors_total', 'Runs of the sweep that failed', bySweep);
  const seconds = [0.01, 0.1, 1, 10, 100];
  const durations = histogram('malote_sweep_duration_seconds', 'How long the sweep runs', seconds, bySweep);
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
