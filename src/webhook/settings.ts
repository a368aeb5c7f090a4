import { standardSchedule } from '../queue/schedule.js';

export type WorkerSettings = typeof standardSettings;

export type SlotSettings = Pick<
  WorkerSettings,
  keyof ReturnType<typeof sharesOf> | 'accountConcurrency' | 'promptMs' | 'claimSize'
>;

/**
 * Divides the slots (at least 8) among prompt receivers, repeated attempts, slow receivers, and requests that become
 * slow.
 */
export function sharesOf(slots: number) {
  const eighth = Math.floor(slots / 8);
  return {
    concurrency: 2 * eighth,
    retryConcurrency: eighth,
    slowConcurrency: 2 * eighth,
    lateConcurrency: slots - 5 * eighth,
  };
}

/** The standard settings of a worker (contracts/guides/behaviour.md#webhook). */
export const standardSettings = {
  ...sharesOf(1_024),
  accountConcurrency: 64,
  /** A request that takes longer moves to a late slot. A request that takes much longer makes its receiver slow. */
  promptMs: 500,
  claimSize: 64,
  /** Longer than one attempt with its preparation and its record. */
  leaseMs: 30_000,
  deadlineMs: 15_000,
  connectMs: 5_000,
  idleConnections: 2_000,
  /** The pause between two claims while there is work, and the longest pause without work. */
  busyPollMs: 5,
  idlePollMs: 250,
  /**
   * The pause in trouble. It is longer than the pause of a lane, so that workers without trouble take the lane first.
   */
  trialMs: 2_500,
  /**
   * The pauses between sweeps: `sweepMs` for lanes that became idle lately, `fullSweepMs` for all idle lanes with
   * waiting rows.
   */
  sweepMs: 1_000,
  fullSweepMs: 60_000,
  /** The pause between two looks for catch-ups. */
  catchUpMs: 500,
  plansMs: 2_000,
  purgeMs: 60_000,
  retention: { attempts: 30, deliveries: 30, deadLetters: 0 },
  stopMs: 10_000,
  schedule: standardSchedule,
};
