/** Pause between two signs of life of a process. */
export const BEAT_MS = 3_000;
/** Pause between two looks of the supervisor for them. */
export const LOOK_MS = 1_000;

/** For how long a process may be silent: it hangs then. At its start it may be busy for longer. */
const MOST_SILENT_MS = 15_000;
const MOST_SILENT_AT_START_MS = 120_000;

/** Judges whether a process hangs. Time in which the supervisor stood still too, as when suspended, does not count. */
export function createSilence(now: number) {
  let lookedAt = now;
  let silentMs = 0;
  let most = MOST_SILENT_AT_START_MS;
  return {
    heard: (): void => {
      silentMs = 0;
    },
    started: (): void => {
      most = MOST_SILENT_MS;
    },
    /** True when the process hangs; to be called every LOOK_MS with performance.now(). */
    hangs: (at: number): boolean => {
      silentMs += Math.min(at - lookedAt, 2 * LOOK_MS);
      lookedAt = at;
      return silentMs >= most;
    },
  };
}
