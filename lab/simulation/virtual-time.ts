import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';

/** Time that passes only when nothing is left to do at its present moment. */
export type VirtualTime = ReturnType<typeof virtualTime>;

interface Timer {
  at: number;
  /** Undefined once it was cleared. */
  action: (() => void) | undefined;
}

const realImmediate = globalThis.setImmediate;

/** Everything that promises have made possible happens before this resolves. */
const settled = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

export function virtualTime() {
  let now = 0;
  /** In the order of their times, and of their making. */
  let timers: Timer[] = [];

  const after = (ms: number, action: () => void): Timer => {
    const timer: Timer = { at: now + Math.max(0, ms), action };
    timers.splice(timers.findLastIndex(({ at }) => at <= timer.at) + 1, 0, timer);
    return timer;
  };

  return {
    now: (): number => now,
    after,
    sleep: (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve)),
    /** Lets time pass until `done`, or until `latest`. */
    run: async (done: () => boolean, latest: number): Promise<void> => {
      await settled();
      while (!done()) {
        const next = timers.shift();
        if (!next || next.at > latest) return;
        if (!next.action) continue;
        now = next.at;
        next.action();
        await settled();
      }
    },
    /** Forgets whatever is still to happen, and begins anew at 0. */
    reset: (): void => {
      now = 0;
      timers = [];
    },
  };
}

/** Makes the engine's own timers those of the virtual time, for good: the process does nothing else. */
export function install(time: VirtualTime): void {
  const setVirtual = (action: (value?: unknown) => void, ms = 0, value?: unknown): Timer =>
    time.after(ms, () => action(value));
  const clearVirtual = (timer: Timer | undefined): void => {
    if (timer) timer.action = undefined;
  };
  Object.assign(globalThis, {
    setTimeout: setVirtual,
    clearTimeout: clearVirtual,
    setImmediate: (action: () => void) => setVirtual(action, 0),
  });
  Object.assign(timersPromises, { setTimeout: time.sleep });
  syncBuiltinESMExports();
  Object.defineProperty(performance, 'now', { value: time.now, configurable: true });
}

/** A process that can be killed, or suspended for a while: then nothing that it waits for reaches it. */
export type Process = ReturnType<typeof newProcess>;

export function newProcess(time: VirtualTime) {
  let alive = true;
  let until = 0;
  /** Resolves at once while it runs, later while it is suspended, never once it is dead. */
  const live = async (): Promise<void> => {
    while (alive && time.now() < until) await time.sleep(until - time.now());
    if (!alive) await new Promise<never>(() => undefined);
  };
  return {
    alive: () => alive,
    live,
    kill: () => {
      alive = false;
    },
    suspend: (ms: number) => {
      until = Math.max(until, time.now() + ms);
    },
  };
}
