import { type Schedule, standardSchedule } from '../outbox/schedule.js';
import type { Retention } from '../outbox/upkeep.js';

export interface WorkerSettings {
  /**
   * Requests under way at once: to receivers that answer promptly, of deliveries that have failed before, to receivers that are
   * slow, and those that have turned out to be slow under way.
   */
  concurrency: number;
  retryConcurrency: number;
  slowConcurrency: number;
  lateConcurrency: number;
  /** Slow requests of one account at once. */
  accountConcurrency: number;
  /** A request that takes longer gives up its place among the prompt ones; one that takes much longer makes its receiver slow. */
  promptMs: number;
  /** At most so many lanes of each group are claimed by one statement. */
  claimSize: number;
  /** Longer than an attempt may take, with what precedes and follows it. */
  leaseMs: number;
  /** For a whole attempt, and for each step of connecting. */
  deadlineMs: number;
  connectMs: number;
  idleConnections: number;
  /** Between two claims while there is work, and at most while there is no work. */
  busyPollMs: number;
  idlePollMs: number;
  /** Between two sweeps for lanes that nobody woke: among those that became idle lately, among all. */
  sweepMs: number;
  fullSweepMs: number;
  /** Between two looks at the sizes of what is planned for. */
  plansMs: number;
  purgeMs: number;
  retention: Retention;
  /** How long `stop` waits for requests under way. */
  stopMs: number;
  schedule: Schedule;
}

/** Divides a number of places, 8 or more, among the four kinds. */
export function sharesOf(
  places: number,
): Pick<WorkerSettings, 'concurrency' | 'retryConcurrency' | 'slowConcurrency' | 'lateConcurrency'> {
  const eighth = Math.floor(places / 8);
  return {
    concurrency: 2 * eighth,
    retryConcurrency: eighth,
    slowConcurrency: 2 * eighth,
    lateConcurrency: places - 5 * eighth,
  };
}

/** contracts/guides/behaviour.md#webhook. */
export const standardSettings: WorkerSettings = {
  ...sharesOf(1_024),
  accountConcurrency: 64,
  promptMs: 500,
  claimSize: 64,
  leaseMs: 30_000,
  deadlineMs: 15_000,
  connectMs: 5_000,
  idleConnections: 2_000,
  busyPollMs: 10,
  idlePollMs: 250,
  sweepMs: 1_000,
  fullSweepMs: 60_000,
  plansMs: 2_000,
  purgeMs: 60_000,
  retention: { attempts: 30, deliveries: 30, deadLetters: 0 },
  stopMs: 10_000,
  schedule: standardSchedule,
};
