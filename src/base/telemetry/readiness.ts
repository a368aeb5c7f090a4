import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Logger } from './log.js';
import { metricsIn } from './metrics.js';

/** A reason to send a process no requests. */
export interface Obstacle {
  /** The metric's label. */
  reason: string;
  /** A line of `/readyz`, without a secret. */
  text: string;
}

/** Looks for an obstacle; never rejects. */
export type Check = () => Promise<Obstacle | undefined>;

const FRESH_MS = 1_000;
const MAX_LOOK_MS = 2_000;

const starting = { reason: 'starting', text: 'the process is starting' };
const late = { reason: 'late', text: `a check did not end within ${MAX_LOOK_MS / 1000} s` };

/** Tracks whether the process is ready; at first it is not. Each change writes one line of the log. */
export function createReadiness(log: Logger, registry: Registry) {
  const checks: Check[] = [];
  let said: Obstacle | undefined = starting;
  let known: readonly Obstacle[] = [];
  let latest: { at: number; look: Promise<readonly Obstacle[]> } | undefined;

  const report = (obstacles: readonly Obstacle[]): readonly Obstacle[] => {
    const isOther = textOf(obstacles) !== textOf(known);
    known = obstacles;
    if (isOther && obstacles.length > 0) log.warn({ reasons: obstacles.map(({ text }) => text) }, 'service.not_ready');
    else if (isOther) log.info('service.ready');
    return obstacles;
  };
  const look = async (): Promise<readonly Obstacle[]> => {
    const asked = checks.map((check) => Promise.race([check(), sleep(MAX_LOOK_MS, late, { ref: false })]));
    const obstacles = await Promise.all(asked);
    return report(obstacles.flatMap((obstacle) => obstacle ?? []));
  };
  /** The present obstacles. Empty if the process is ready. Calls within a second share one check. */
  const obstacles = async (): Promise<readonly Obstacle[]> => {
    if (said) return [said];
    if (!latest || performance.now() - latest.at > FRESH_MS) {
      // Does not start a check again while it runs.
      const entry = { at: Number.POSITIVE_INFINITY, look: look() };
      latest = entry;
      void entry.look.then(() => {
        entry.at = performance.now();
      });
    }
    return latest.look;
  };

  metricsIn(registry).gauge(
    'malote_not_ready',
    'Processes that are not ready, by reason',
    { reason: [] },
    {
      // Reports the latest result, because a check may take longer than a scrape waits. The next scrape gets the new
      // result.
      collect() {
        this.reset();
        for (const { reason } of said ? [said] : known) this.set({ reason }, 1);
        void obstacles();
      },
    },
  );
  return {
    add: (check: Check): void => void checks.push(check),
    /** Reports only this obstacle, without running the checks, until it is undefined. */
    say: (obstacle: Obstacle | undefined): void => {
      said = obstacle;
    },
    obstacles,
  };
}

const textOf = (obstacles: readonly Obstacle[]): string => obstacles.map(({ text }) => text).join('; ');
