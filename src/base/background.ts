import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './telemetry/log.js';

/**
 * Repeats work beside requests: runs `round`, waits for as many milliseconds as it resolves to, and so on. The first
 * round begins after `startMs`. The work holds no process. The function returned ends it, after the round that runs.
 * A round must not reject.
 */
export function inBackground(round: (signal: AbortSignal) => Promise<number>, startMs = 0): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    let pauseMs = startMs;
    while (!signal.aborted) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) pauseMs = await round(signal);
    }
  };
  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}

/**
 * Repeats work every so many milliseconds, at first after `startMs`. A failure is logged as `event`; the next round
 * comes at its usual time.
 */
export function every(
  ms: number,
  { log, event, startMs = ms }: { log: Logger; event: string; startMs?: number },
  work: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  return inBackground(async (signal) => {
    await work(signal).catch((err) => log.warn({ err }, event));
    return ms;
  }, startMs);
}

/**
 * Runs a chore and reports its outcome. Where the chore resolves to a number, it counts the rows that were removed or
 * changed.
 */
export type Sweep = <T>(name: string, everyMs: number, work: () => Promise<T>) => Promise<T>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
