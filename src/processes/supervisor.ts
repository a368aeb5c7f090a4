import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.js';
import type { Config } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { type RunningParts, runningParts } from '../base/process.js';
import { startEmbedded } from '../embedded/embedded.js';
import { WINDOW_MS } from '../http/limits/rate-limit.js';
import { createCounters } from '../http/limits/supervisor-store.js';
import { probesApp } from '../http/server/express-app.js';
import { listen } from '../http/server/listen.js';
import { type Forked, fork } from './forked.js';
import type { Beginning, Started } from './messages.js';
import { mergeMetrics } from './metrics.js';

/**
 * Several processes as one service. Each is a whole service, API and worker. The supervisor answers no request itself: it runs the
 * embedded database, hands connections to the processes in turn, counts the rate limits, answers the probes for all, and replaces a
 * process that ends. A process whose supervisor is gone finishes what runs and ends.
 */
export async function supervise(
  config: Config,
  processes: number,
): Promise<Pick<App, 'url' | 'firstOperator' | 'internalUrl' | 'log' | 'stop'>> {
  const log = createLog({ level: config.logLevel }).child({ pid: process.pid });
  const running = runningParts(log);
  const fleet = createFleet(processes, log);
  try {
    const databaseUrl = config.databaseUrl ? undefined : await startOwnDatabase(config, processes, log, running);
    const { internalHost: host, internalPort: port } = config;
    const { url: internalUrl, stop } = await listen(probesApp(fleet), { host, port, shutdownSeconds: 0 });
    running.add(stop);
    running.add(fleet.stop);
    const { url, firstOperator } = await fleet.start({ processes, internalUrl, databaseUrl });
    return { url, firstOperator, internalUrl, log, stop: running.stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

// PostgreSQL's own default, and connections beside the pools: one each that learns of ended tokens, migrations, operators' tools.
const MOST_CONNECTIONS = 100;
const OTHER_CONNECTIONS = 20;

async function startOwnDatabase(
  { dataDir, databasePoolSize }: Config,
  processes: number,
  log: Logger,
  running: RunningParts,
): Promise<string> {
  const needed = processes * (databasePoolSize + 1) + OTHER_CONNECTIONS;
  const settings = { max_connections: String(Math.max(MOST_CONNECTIONS, needed)) };
  const embedded = await startEmbedded({ dataDir, settings, log });
  running.add(embedded.stop);
  return embedded.nearUrl;
}

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that has run for so long did not end because of how it was started. */
const CALM_MS = 60_000;

/** The processes, numbered from 1 on. */
function createFleet(processes: number, log: Logger) {
  const numbers = Array.from({ length: processes }, (_, index) => index + 1);
  const running = new Map<number, Forked>();
  const count = createCounters(WINDOW_MS);
  const stopping = new AbortController();

  const isReady = async (each: Forked) => (await each.ask('ready')) === true;
  const read = () =>
    Promise.all(
      [...running.values()].map(async (each) => ({
        pid: each.pid,
        isReady: await isReady(each),
        metrics: await each.ask('metrics'),
      })),
    );
  const metrics = mergeMetrics({ wanted: processes, read });

  // However this process ends by itself, none of them is left behind.
  process.once('exit', () => {
    for (const each of running.values()) each.kill();
  });

  function begin(number: number, beginning: Beginning): Forked {
    const forked = fork(beginning, count);
    running.set(number, forked);
    return forked;
  }

  /** Keeps a process there, with longer and longer pauses when it ends soon after each start. */
  async function keep(number: number, first: Forked, beginning: Beginning): Promise<void> {
    let forked = first;
    let startedAt = performance.now();
    for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const { code, signal } = await forked.ended;
      if (stopping.signal.aborted) return;
      running.delete(number);
      metrics.ended(forked.pid);
      if (performance.now() - startedAt > CALM_MS) pauseMs = SHORTEST_PAUSE_MS;
      log.error({ process: number, ended: forked.pid, code, signal, pauseMs }, 'a process ended; starting another');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      startedAt = performance.now();
      forked = begin(number, beginning);
      report(number, forked);
    }
  }

  const report = (number: number, { pid, started }: Forked) =>
    void started.then(
      () => log.info({ process: number, started: pid }, 'a process has started'),
      (err) => log.error({ process: number, started: pid, err }, 'a process did not start'),
    );

  return {
    metrics,
    /** Half of them are enough: the others are being replaced, and who sends elsewhere meanwhile would lose more. */
    ready: async () => {
      const answers = await Promise.all([...running.values()].map(isReady));
      return !stopping.signal.aborted && 2 * answers.filter(Boolean).length >= processes;
    },
    /** The first alone, which migrates the database and makes keys and the first operator; then the others. Throws when one does not start. */
    start: async (beginning: Beginning): Promise<Started> => {
      const [first = 1, ...others] = numbers;
      const started = await begin(first, beginning).started;
      await Promise.all(others.map((number) => begin(number, beginning).started));
      for (const [number, forked] of running) {
        report(number, forked);
        void keep(number, forked, beginning);
      }
      return started;
    },
    stop: async () => {
      stopping.abort();
      for (const each of running.values()) each.stop();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
