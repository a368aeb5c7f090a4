import type { WorkerSettings } from './settings.js';

type Pace = 'more' | 'busy' | 'idle' | 'full' | 'failed' | 'trial';

/** Decides how long the dispatcher rests between two claims. */
export interface Pacer {
  rest(pace: Pace): Promise<void>;
  /** Ends the pause soon, because a lane is ready. */
  wake(): void;
  /** Ends a pause soon that began because no slot was free. */
  freed(): void;
  stop(): void;
  stopped(): boolean;
}

// Results come in bursts. Without this minimum, each of them would cause a claim of one lane.
const MIN_MS = 2;
const FAILED_MS = 500;

type Paces = Pick<WorkerSettings, 'busyPollMs' | 'idlePollMs' | 'trialMs'>;

export function createPacer({ busyPollMs, idlePollMs, trialMs }: Paces): Pacer {
  let stopped = false;
  let idleMs = busyPollMs;
  let sleeping: { pace: Pace; shorten(ms: number): void } | undefined;

  const length = (pace: Pace): number => {
    idleMs = pace === 'idle' ? Math.min(idleMs * 2, idlePollMs) : busyPollMs;
    return { more: 0, busy: busyPollMs, idle: idleMs, full: idlePollMs, failed: FAILED_MS, trial: trialMs }[pace];
  };

  const rest = (pace: Pace): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        sleeping = undefined;
        resolve();
      };
      let timer = setTimeout(end, stopped ? 0 : length(pace));
      const shorten = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(end, ms);
        sleeping = undefined;
      };
      sleeping = { pace, shorten };
    });

  return {
    rest,
    wake: () => sleeping?.pace !== 'failed' && sleeping?.shorten(MIN_MS),
    freed: () => sleeping?.pace === 'full' && sleeping.shorten(MIN_MS),
    stop: (): void => {
      stopped = true;
      sleeping?.shorten(0);
    },
    stopped: () => stopped,
  };
}
