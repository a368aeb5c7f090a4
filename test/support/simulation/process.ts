import type { VirtualTime } from './virtual-time.js';

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
