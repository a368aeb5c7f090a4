import { setImmediate } from 'node:timers/promises';
import { memoryStore, type SharedCounter, sharedStore } from './memory-store.js';
import type { StoreFor } from './rate-limit.js';

/** A request that a process asks the supervisor to count. */
export type CounterStep = readonly [budget: string, key: string];
/** The hits of a window, and when it ends in milliseconds since 1970. */
export type Count = readonly [hits: number, endsAt: number];

/** The counters of all processes of one supervisor, in the supervisor's memory. */
export function createCounters(windowMs: number): (steps: readonly CounterStep[]) => Count[] {
  const stores = new Map<string, ReturnType<typeof memoryStore>>();
  const take = ([budget, key]: CounterStep): Count => {
    const store = stores.get(budget) ?? memoryStore(windowMs);
    stores.set(budget, store);
    const { totalHits, resetTime } = store.increment(key);
    return [totalHits, resetTime?.getTime() ?? 0];
  };
  return (steps) => steps.map(take);
}

/** Sends steps to the supervisor; resolves to their counts in the same order, undefined when it is gone. */
export type AskCounts = (steps: readonly CounterStep[]) => Promise<readonly Count[] | undefined>;

/**
 * Counters that this process shares with the others of its supervisor. All steps of one turn of the event loop go in
 * one message. Without the supervisor the process goes on alone, and is about to end.
 */
export function supervisedCounters(ask: AskCounts, replicas: number, windowMs: number): StoreFor {
  let gathered: { steps: CounterStep[]; counts: ReturnType<AskCounts> } | undefined;

  const gather = () => {
    const steps: CounterStep[] = [];
    const counts = setImmediate().then(() => {
      gathered = undefined;
      return ask(steps);
    });
    return { steps, counts };
  };

  const take = async (step: CounterStep): Promise<Count | undefined> => {
    gathered ??= gather();
    const { steps, counts } = gathered;
    const at = steps.push(step) - 1;
    return (await counts)?.[at];
  };

  const counterOf = (budget: string): SharedCounter => ({
    increment: async (key) => {
      const count = await take([budget, key]);
      return count && { totalHits: count[0], resetTime: new Date(count[1]) };
    },
    replicas: () => replicas,
  });
  return (budget) => sharedStore(counterOf(budget), windowMs);
}
