import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { runningParts } from '../base/process.js';
import type { Obstacle } from '../base/readiness.js';
import { WINDOW_MS } from '../http/limits/rate-limit.js';
import { createCounters } from '../http/limits/supervisor-store.js';
import { type Probes, probesApp } from '../http/server/express-app.js';
import { listen } from '../http/server/http-server.js';
import { type Forked, fork } from './forked.js';
import type { Beginning, Started } from './messages.js';
import { mergeMetrics } from './metrics.js';
import { LOOK_MS } from './silence.js';

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that has run for so long did not end because of how it was started. */
const CALM_MS = 60_000;

async function obstaclesOf(each: Forked): Promise<readonly Obstacle[]> {
  const answer = await each.ask('ready');
  // Both are of one build.
  return Array.isArray(answer) ? answer : [{ reason: 'silent', text: 'a process does not answer' }];
}

/** The processes of a supervisor, numbered from 1 on; each that ends is replaced. */
class Fleet implements Probes {
  readonly metrics;
  private readonly running = new Map<number, Forked>();
  private readonly count = createCounters(WINDOW_MS);
  private readonly stopping = new AbortController();

  constructor(
    private readonly processes: number,
    private readonly log: Logger,
  ) {
    this.metrics = mergeMetrics(processes, () => Promise.all(this.all().map(read)));
    setInterval(() => this.endHanging(), LOOK_MS).unref();
    // However the supervisor ends by itself, none of them is left behind.
    process.once('exit', () => {
      for (const each of this.all()) each.kill();
    });
  }

  /** Half of them are enough: the others are being replaced, and sending everything elsewhere would lose more. */
  readonly obstacles = async (): Promise<readonly Obstacle[]> => {
    if (this.stopping.signal.aborted) return [{ reason: 'stopping', text: 'the service is stopping' }];
    const answers = await Promise.all(this.all().map(obstaclesOf));
    const ready = answers.filter((obstacles) => obstacles.length === 0).length;
    if (2 * ready >= this.processes) return [];
    const byText = new Map(answers.flat().map((obstacle) => [obstacle.text, obstacle]));
    return [{ reason: 'processes', text: `${ready} of ${this.processes} processes are ready` }, ...byText.values()];
  };

  /** The first alone, which migrates and makes keys and the first operator; then the others. Throws when one fails. */
  async start(beginning: Beginning): Promise<Started> {
    const started = await this.begin(1, beginning).started;
    const others = Array.from({ length: this.processes - 1 }, (_, index) => index + 2);
    await Promise.all(others.map((number) => this.begin(number, beginning).started));
    for (const [number, forked] of this.running) {
      this.report(number, forked);
      void this.keep(number, forked, beginning);
    }
    return started;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const each of this.all()) each.stop();
    await Promise.all(this.all().map(({ ended }) => ended));
  }

  private all(): Forked[] {
    return [...this.running.values()];
  }

  /** One that hangs takes no signal but this; `keep` sees that it has ended. */
  private endHanging(): void {
    for (const [number, each] of this.running) {
      if (!each.hangs()) continue;
      this.log.error(
        { process: number, silent: each.pid },
        'a process hangs: it has been silent for too long; ending it',
      );
      each.kill();
    }
  }

  private begin(number: number, beginning: Beginning): Forked {
    const forked = fork(beginning, this.count);
    this.running.set(number, forked);
    return forked;
  }

  /** Keeps a process there, with longer and longer pauses when it ends soon after each start. */
  private async keep(number: number, first: Forked, beginning: Beginning): Promise<void> {
    const { signal: stop } = this.stopping;
    let forked = first;
    let pauseMs = SHORTEST_PAUSE_MS;
    for (let startedAt = performance.now(); ; startedAt = performance.now()) {
      const { code, signal } = await forked.ended;
      if (stop.aborted) return;
      if (performance.now() - startedAt > CALM_MS) pauseMs = SHORTEST_PAUSE_MS;
      this.running.delete(number);
      this.metrics.ended(forked.pid);
      this.log.error(
        { process: number, ended: forked.pid, code, signal, pauseMs },
        'a process ended; starting another',
      );
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      forked = this.begin(number, beginning);
      this.report(number, forked);
    }
  }

  private report(number: number, { pid, started }: Forked): void {
    void started.then(
      () => this.log.info({ process: number, started: pid }, 'a process has started'),
      (err) => this.log.error({ process: number, started: pid, err }, 'a process did not start'),
    );
  }
}

const read = async (each: Forked) => {
  const [obstacles, metrics] = await Promise.all([obstaclesOf(each), each.ask('metrics')]);
  return { pid: each.pid, isReady: obstacles.length === 0, metrics };
};

/**
 * Several processes, each API and worker, as one service. The supervisor hands them connections, counts limits, answers
 * probes and replaces one that ends. A process whose supervisor is gone finishes what runs and ends.
 */
export async function supervise(config: Config, processes: number) {
  const log = createLog({ level: config.logLevel, service: config.otelServiceName });
  const running = runningParts(log);
  const fleet = new Fleet(processes, log);
  try {
    const { internalHost: host, internalPort: port, databaseUrl } = config;
    const { url: internalUrl, stop } = await listen(probesApp(fleet), { host, port, shutdownSeconds: 0 });
    running.add(stop);
    running.add(() => fleet.stop());
    const { url, firstOperator } = await fleet.start({ processes, internalUrl, databaseUrl });
    const stopMs = 1000 * (config.shutdownDelaySeconds + config.shutdownSeconds);
    return { url, firstOperator, internalUrl, log, stop: running.stop, stopMs };
  } catch (error) {
    await running.stop();
    throw error;
  }
}
