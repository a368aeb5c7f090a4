import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './telemetry/log.js';

/**
 * Repeats work beside requests: it runs `round`, waits for the milliseconds to which `round` resolves, and so on. The
 * first round begins after `startMs`. The work does not keep the process alive. Call the returned function to stop; it
 * waits for the current round. A round must not reject.
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
 * Repeats work at an interval in milliseconds; the first round begins after `startMs`. A failure is logged as `event`,
 * and the next round comes at its usual time.
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
 * Runs a chore and reports its outcome. If the chore resolves to a number, it is the count of removed or changed rows.
 */
export type Sweep = <T>(name: string, everyMs: number, work: () => Promise<T>) => Promise<T>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
