import type { Logger } from './log.js';

export type RunningParts = ReturnType<typeof runningParts>;

/** Parts of a service that run, to be stopped in the reverse order of their start. */
export function runningParts(log: Logger) {
  const stops: (() => Promise<unknown>)[] = [];
  return {
    add: (stop: () => Promise<unknown>): void => void stops.push(stop),
    stop: async (): Promise<void> => {
      for (const stop of stops.splice(0).reverse())
        await stop().catch((err) => log.error({ err }, 'a part did not stop'));
    },
  };
}

interface Stoppable {
  log: Logger;
  stop(): Promise<void>;
  stopMs: number;
}

/** Time beyond it until the process is ended: an embedded database writes a checkpoint. */
const GRACE_MS = 4_000;

/** One signal comes several times when a group of processes gets it: npm and make pass it on besides. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs a service until SIGTERM, SIGINT or a call of the function that it resolves to. A start that fails prints one
 * line. The process is ended only when something holds it at the deadline, or at a later second signal.
 */
export async function runProcess(
  start: () => Promise<Stoppable>,
  tellFailure = (message: string): void => void process.stderr.write(`malote: ${message}\n`),
): Promise<(why: object) => void> {
  let app: Stoppable;
  try {
    app = await start();
  } catch (error) {
    tellFailure(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    return () => undefined;
  }
  const { log, stop, stopMs } = app;
  let stopping = false;
  const stopOnce = (why: object): void => {
    if (stopping) return;
    stopping = true;
    log.info(why, 'stopping');
    setTimeout(() => {
      log.error('something did not end in time');
      process.exit(1);
    }, stopMs + GRACE_MS).unref();
    void stop().then(() => log.info('stopped'));
  };
  let signalledAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    signalledAt ??= performance.now();
    if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1);
    stopOnce({ signal });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stopOnce;
}
