import { type Schedule, standardSchedule } from '../outbox/schedule.js';
import type { Retention } from '../outbox/upkeep.js';

/** Slots for prompt receivers, repeated attempts, slow receivers, and requests that turn out to be slow. */
interface Shares {
  concurrency: number;
  retryConcurrency: number;
  slowConcurrency: number;
  lateConcurrency: number;
}

export interface SlotSettings extends Shares {
  accountConcurrency: number;
  /** A request that takes longer moves to a late slot; one that takes much longer makes its receiver slow. */
  promptMs: number;
  claimSize: number;
}

export interface WorkerSettings extends SlotSettings {
  /** Longer than an attempt may take, with what precedes and follows it. */
  leaseMs: number;
  deadlineMs: number;
  connectMs: number;
  idleConnections: number;
  /** Pause between two claims while there is work, and the longest pause without work. */
  busyPollMs: number;
  idlePollMs: number;
  /** Pause in trouble: longer than a lane waits then, so that workers without trouble take it first. */
  trialMs: number;
  /** Pauses between sweeps: for lanes that became idle lately, and for all idle lanes that something waits in. */
  sweepMs: number;
  fullSweepMs: number;
  plansMs: number;
  purgeMs: number;
  retention: Retention;
  stopMs: number;
  schedule: Schedule;
}

/** Divides a number of slots, 8 or more, among the four kinds. */
export function sharesOf(slots: number): Shares {
  const eighth = Math.floor(slots / 8);
  return {
    concurrency: 2 * eighth,
    retryConcurrency: eighth,
    slowConcurrency: 2 * eighth,
    lateConcurrency: slots - 5 * eighth,
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
  trialMs: 2_500,
  sweepMs: 1_000,
  fullSweepMs: 60_000,
  plansMs: 2_000,
  purgeMs: 60_000,
  retention: { attempts: 30, deliveries: 30, deadLetters: 0 },
  stopMs: 10_000,
  schedule: standardSchedule,
};
