import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/log.js';
import { halt } from './server.js';

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Starts PostgreSQL again, on the same port, whenever it ends by itself. The returned function stops it for good. */
export function supervise(
  first: ChildProcess,
  launchAgain: () => Promise<ChildProcess>,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  let child = first;
  let restarting: Promise<void> = Promise.resolve();

  const watch = () =>
    child.once('exit', (code, signal) => {
      if (stopping.signal.aborted) return;
      log.error({ code, signal }, 'PostgreSQL ended unexpectedly; starting it again');
      restarting = restart();
    });

  const restart = async () => {
    for (let pauseMs = SHORTEST_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        child = await launchAgain();
        watch();
        return;
      } catch (err) {
        log.error({ err }, 'PostgreSQL did not start again');
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  watch();
  return async () => {
    stopping.abort();
    await restarting;
    await halt(child);
  };
}
