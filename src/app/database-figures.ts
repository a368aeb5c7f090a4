import type { Registry } from 'prom-client';
import { inBackground } from '../base/background.js';
import { newId } from '../base/ids.js';
import type { Logger } from '../base/telemetry/log.js';
import { metricsIn } from '../base/telemetry/metrics.js';
import type { Db } from '../db/connect.js';
import { holdLease, releaseLease } from '../db/health/leases.js';
import { readTransactions } from '../db/health/open-transactions.js';
import {
  type ReplayWatch,
  readArchiveFails,
  readReplication,
  replayWatch,
  streamingStandbys,
} from '../db/health/standbys.js';
import { migrations } from '../db/migrations/index.js';
import { type MigrationState, migrationStatuses, readRecords } from '../db/migrations/records.js';
import { partitionEnds } from '../db/partitions/partitions.js';
import { countOpenTasks } from '../packages/tasks.js';
import { type Backlog, endpointStates, queueStates, readBacklog } from '../queue/backlog.js';

/**
 * The figures that a process reads for its metrics. It reads figures of the whole database only while it holds the
 * lease.
 */
interface Figures {
  /** Seconds by which this machine's clock is ahead of the database's clock. */
  clockDifference: number;
  migrations: readonly MigrationState[];
  /** Seconds since 1970, on this machine's clock. */
  readAt: number;
  ofAll: FiguresOfAll | undefined;
}

type FiguresOfAll = Awaited<ReturnType<typeof readFiguresOfAll>> & { standbysExpected: number; readAt: number };

const migrationStates: readonly MigrationState[] = ['applied', 'under way', 'pending', 'of another release'];

interface FiguresOptions {
  db: Db;
  log: Logger;
  registry: Registry;
  standbys: number;
  everyMs?: number;
}

/** After this many times `everyMs`, figures are no longer shown and the lease ends. */
const PATIENCE = 3;

/**
 * Exports figures of the database as metrics. A figure that cannot be read is absent. Only the process with the lease
 * (API or worker) exports figures of the whole database, so that sums are right. The returned function stops it.
 */
export function startDatabaseFigures(options: FiguresOptions): () => Promise<void> {
  const { db, log, registry, everyMs = 15_000 } = options;
  const lease = { name: 'database figures', holder: newId() };
  let latest: Figures | undefined;
  const standbyLag = replayWatch();
  let wasRead = true;
  registerFigures(registry, () => {
    const isFresh = latest && Date.now() / 1000 - latest.readAt < (PATIENCE * everyMs) / 1000;
    return isFresh ? latest : undefined;
  });
  const end = inBackground(async () => {
    latest = await readFigures({ ...options, standbyLag }, lease, PATIENCE * everyMs).catch((err: unknown) => {
      if (wasRead) log.warn({ err }, 'metrics.database_figures_failed');
      return undefined;
    });
    wasRead = latest !== undefined;
    return everyMs;
  });
  return async () => {
    await end();
    if (latest?.ofAll) await releaseLease(db, lease).catch(() => undefined);
  };
}

async function readFigures(
  { db, standbys, standbyLag }: FiguresOptions & { standbyLag: ReplayWatch },
  lease: { name: string; holder: string },
  leaseMs: number,
): Promise<Figures> {
  const askedAt = Date.now();
  const { isMine, now } = await holdLease(db, lease, leaseMs);
  const answeredAt = Date.now();
  const readAt = answeredAt / 1000;
  return {
    clockDifference: ((askedAt + answeredAt) / 2 - now.getTime()) / 1000,
    migrations: migrationStatuses(migrations, await readRecords(db)).map(({ state }) => state),
    readAt,
    ofAll: isMine ? { ...(await readFiguresOfAll(db, standbyLag)), standbysExpected: standbys, readAt } : undefined,
  };
}

async function readFiguresOfAll(db: Db, standbyLag: ReplayWatch) {
  const replication = await readReplication(db);
  return {
    ...(await readBacklog(db)),
    openTasks: await countOpenTasks(db),
    partitionEnds: [...(await partitionEnds(db))].map(([table, end]): Sample => [table, end.getTime() / 1000]),
    standbys: streamingStandbys(replication),
    standbyLag: standbyLag(replication, performance.now()),
    archiveFails: await readArchiveFails(db),
    oldestTransaction: (await readTransactions(db)).seconds,
  };
}

type Sample = readonly [value: string, number: number];
/** Registers a figure: one number, or one number per value of a label. Undefined if it is not known. */
type Register<F> = (
  name: string,
  help: string,
  read: (figures: F) => number | undefined | Sample[],
  label?: string,
) => void;

function registerFigures(registry: Registry, latest: () => Figures | undefined): void {
  const { gauge } = metricsIn(registry);
  const figure: Register<Figures> = (name, help, read, label) =>
    gauge(name, help, label === undefined ? {} : { [label]: [] }, {
      collect() {
        this.reset();
        const figures = latest();
        const value = figures && read(figures);
        if (typeof value === 'object') for (const [each, number] of value) this.set({ [label ?? '']: each }, number);
        else if (value !== undefined) this.set(value);
        // A gauge without labels keeps a sample until it is removed.
        else if (label === undefined) this.remove({});
      },
    });
  figure('malote_clock_difference_seconds', "How far this machine's clock is from the database's", (figures) =>
    Math.abs(figures.clockDifference),
  );
  const inState = (figures: Figures, state: MigrationState): Sample => [
    state.replaceAll(' ', '_'),
    figures.migrations.filter((each) => each === state).length,
  ];
  const migrationsHelp = 'Migrations of the schema, as this version sees them';
  const migrationsOf = (figures: Figures) => migrationStates.map((state) => inState(figures, state));
  figure('malote_migrations', migrationsHelp, migrationsOf, 'state');
  const ofAll: Register<FiguresOfAll> = (name, help, read, label) =>
    figure(name, help, (figures) => figures.ofAll && read(figures.ofAll), label);
  registerDatabase(ofAll);
  registerBacklog(ofAll);
}

function registerDatabase(figure: Register<FiguresOfAll>): void {
  const tasksHelp = 'Tasks that wait for an operator, counted up to 10 000';
  figure('malote_tasks_open', tasksHelp, ({ openTasks }) => openTasks);
  const endsHelp = 'Until when there are partitions for new rows of a table';
  figure('malote_partitions_end_timestamp_seconds', endsHelp, (figures) => figures.partitionEnds, 'table');
  const standbysHelp = 'Standbys of the database that stream; absent when its role may not see them';
  figure('malote_database_standbys', standbysHelp, ({ standbys }) => standbys);
  const expectedHelp = 'Standbys that there should be: DATABASE_STANDBYS';
  figure('malote_database_standbys_expected', expectedHelp, ({ standbysExpected }) => standbysExpected);
  const lagHelp = 'For how long something written has not been replayed by each standby, to within a reading';
  figure('malote_database_standby_lag_seconds', lagHelp, ({ standbyLag }) => standbyLag);
  const archiveHelp = 'Whether the archive has refused the last segment of the log that it was given';
  figure('malote_database_archive_failing', archiveHelp, ({ archiveFails }) => Number(archiveFails));
  const transactionHelp = 'Age of the oldest open transaction that the role of DATABASE_URL may see';
  figure('malote_database_oldest_transaction_seconds', transactionHelp, ({ oldestTransaction }) => oldestTransaction);
  const readHelp = 'When the figures of the whole database were read; the one process that exports them has it';
  figure('malote_database_figures_read_timestamp_seconds', readHelp, ({ readAt }) => readAt);
}

function registerBacklog(figure: Register<Backlog>): void {
  const queueFigure = (name: string, help: string, part: 'lanes' | 'notifications' | 'oldestSeconds') => {
    const depths = ({ queue }: Backlog) => queueStates.map((state): Sample => [state, queue.get(state)?.[part] ?? 0]);
    figure(name, `${help}, by the state of their lanes; without endpoints that are disabled`, depths, 'state');
  };
  queueFigure('malote_webhook_queue_lanes', 'Lanes in which something waits or is being sent', 'lanes');
  queueFigure('malote_webhook_queue_depth', 'Notifications that wait, counted up to 10 000 a lane', 'notifications');
  queueFigure('malote_webhook_queue_oldest_seconds', 'Age of the oldest notification that waits', 'oldestSeconds');
  figure('malote_webhook_oldest_pending_seconds', 'The same, over all states', ({ queue }) =>
    Math.max(0, ...[...queue.values()].map(({ oldestSeconds }) => oldestSeconds)),
  );
  const byState = ({ endpoints }: Backlog) => endpointStates.map((state): Sample => [state, endpoints[state]]);
  figure('malote_webhook_endpoints', 'Endpoints, by whether their receivers answer', byState, 'state');
  const disabledHelp = 'Endpoints that are disabled; superseded by malote_webhook_endpoints';
  figure('malote_webhook_endpoints_disabled', disabledHelp, ({ endpoints }) => endpoints.disabled);
  const longestHelp =
    'For how long the active endpoint that has failed for longest has; after five days it is disabled';
  figure('malote_webhook_endpoint_longest_failing_seconds', longestHelp, (backlog) => backlog.maxFailingSeconds);
  const deadHelp = 'Dead letters: deliveries whose last attempt failed and that were not replayed';
  figure('malote_webhook_dead_letters', deadHelp, ({ deadLetters }) => deadLetters);
}
