import { type Schedule, standardSchedule } from '../deliveries/schedule.js';

export interface SenderSettings {
  /** Requests on their way at once; those of bodies that have failed before are counted apart. */
  concurrency: number;
  retryConcurrency: number;
  /** Lanes of either kind claimed by one statement at most. */
  claimSize: number;
  /** Longer than an attempt may take, with what goes before and after it. */
  leaseMs: number;
  /** Of a whole attempt, and of each step of connecting. */
  deadlineMs: number;
  connectMs: number;
  idleConnections: number;
  /** Between looks for due lanes while there is work, and at most when there is none. */
  busyPollMs: number;
  idlePollMs: number;
  /** Between sweeps for lanes that nobody woke: of those lately idle, of all. */
  sweepMs: number;
  fullSweepMs: number;
  purgeMs: number;
  retentionDays: number;
  /** How long `stop` waits for requests under way. */
  stopMs: number;
  schedule: Schedule;
}

/** contracts/decisions.md, the webhook. */
export const standardSettings: SenderSettings = {
  concurrency: 256,
  retryConcurrency: 128,
  claimSize: 64,
  leaseMs: 30_000,
  deadlineMs: 15_000,
  connectMs: 5_000,
  idleConnections: 2_000,
  busyPollMs: 10,
  idlePollMs: 250,
  sweepMs: 1_000,
  fullSweepMs: 60_000,
  purgeMs: 60_000,
  retentionDays: 30,
  stopMs: 10_000,
  schedule: standardSchedule,
};
