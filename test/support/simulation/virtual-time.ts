import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';

/** Time that passes only when nothing is left to do at its present moment. */
export interface VirtualTime {
  now(): number;
  sleep(ms: number): Promise<void>;
  after(ms: number, action: () => void): Timer;
  /** Lets time pass until `done`, or until `latest`. */
  run(done: () => boolean, latest: number): Promise<void>;
  /** Forgets whatever is still to happen, and begins anew at 0. */
  reset(): void;
}

interface Timer {
  at: number;
  order: number;
  /** Undefined once it was cleared. */
  action: (() => void) | undefined;
}

const realImmediate = globalThis.setImmediate;

/** Everything that promises have made possible happens before this resolves. */
const settled = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

export function virtualTime(): VirtualTime {
  let now = 0;
  let order = 0;
  let heap: Timer[] = [];

  const after = (ms: number, action: () => void): Timer => {
    order += 1;
    const timer: Timer = { at: now + Math.max(0, ms), order, action };
    push(heap, timer);
    return timer;
  };

  return {
    now: () => now,
    after,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    run: async (done, latest) => {
      await settled();
      while (!done()) {
        const next = pop(heap);
        if (!next || next.at > latest) return;
        if (!next.action) continue;
        now = next.at;
        next.action();
        await settled();
      }
    },
    reset: () => {
      now = 0;
      order = 0;
      heap = [];
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

const before = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

function push(heap: Timer[], timer: Timer): void {
  let place = heap.length;
  heap.push(timer);
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = heap[parent];
    if (!above || before(above, timer)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (!last || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    const right = heap[2 * place + 2];
    const least = right && left && before(right, left) ? right : left;
    if (!least || before(last, least)) break;
    heap[place] = least;
    place = least === left ? 2 * place + 1 : 2 * place + 2;
  }
  heap[place] = last;
  return first;
}

/** A process that can be killed, or suspended for a while: then nothing that it waits for reaches it. */
export interface Process {
  alive(): boolean;
  /** Resolves at once while it runs, later while it is suspended, never once it is dead. */
  live(): Promise<void>;
  kill(): void;
  suspend(ms: number): void;
}

export function newProcess(time: VirtualTime): Process {
  let alive = true;
  let until = 0;
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
    suspend: (ms) => {
      until = Math.max(until, time.now() + ms);
    },
  };
}
