import { performance } from 'node:perf_hooks';
import { NIL } from 'uuid';
import type { Claim, ClaimLimits } from '../queue/claim.js';
import type { SlotSettings } from './settings.js';

/**
 * Counts the requests under way in slots, by group of lanes. A slow request moves from its prompt slot to a late one.
 * An account may take at most as many slow slots as it leaves free.
 */
export interface Slots {
  /** Moves late requests to late slots. Returns how many lanes may be claimed now; a trial allows only a few. */
  free(isTrial?: boolean): Omit<ClaimLimits, 'leaseMs'>;
  take({ group, accountId }: Pick<Claim, 'group' | 'accountId'>): () => void;
  /** True if a receiver that took this long counts as slow. */
  isSlow(durationMs: number): boolean;
}

interface Slot {
  accountId: string;
  group: Claim['group'] | 'late';
  since: number;
}

// If all prompt slots are taken, requests become late this many times sooner. If late slots are free, an answer may
// take this many times longer before its receiver counts as slow.
const LENIENCY = 4;
const OF_TRIAL = 8;

export function createSlots(settings: SlotSettings): Slots {
  const { claimSize, promptMs } = settings;
  const { taken, slowOf, count } = createCounts();
  const turn = createTurn();
  /** In the order of taking. */
  const prompt = new Set<Slot>();

  const moveLate = (): void => {
    const now = performance.now();
    const patienceMs = taken.prompt < settings.concurrency ? promptMs : promptMs / LENIENCY;
    for (const slot of prompt) {
      if (now - slot.since < patienceMs || taken.late >= settings.lateConcurrency) return;
      prompt.delete(slot);
      count(slot, -1);
      slot.group = 'late';
      count(slot, 1);
    }
  };

  const freeSlow = (max: number): ClaimLimits['slow'] => {
    const freeSlots = settings.slowConcurrency - taken.slow;
    return {
      lanes: Math.min(freeSlots, max),
      ofAccount: Math.ceil(freeSlots / 4),
      ofAccountAtOnce: Math.min(freeSlots, settings.accountConcurrency),
      underWay: slowOf,
      after: turn.next(),
    };
  };

  return {
    free: (isTrial = false): Omit<ClaimLimits, 'leaseMs'> => {
      moveLate();
      const max = isTrial ? Math.min(claimSize, OF_TRIAL) : claimSize;
      return {
        prompt: Math.min(settings.concurrency - taken.prompt, max),
        slow: freeSlow(max),
        again: Math.min(settings.retryConcurrency - taken.again, max),
      };
    },
    take: ({ group, accountId }: Pick<Claim, 'group' | 'accountId'>): (() => void) => {
      const slot: Slot = { accountId, group, since: performance.now() };
      count(slot, 1);
      if (group === 'prompt') prompt.add(slot);
      if (group === 'slow') turn.serve(accountId);
      return () => {
        count(slot, -1);
        prompt.delete(slot);
      };
    },
    isSlow: (durationMs: number): boolean =>
      durationMs > promptMs * (2 * taken.late < settings.lateConcurrency ? LENIENCY : 1),
  };
}

/** Counts taken slots by group, and slow and late ones also by account. */
function createCounts() {
  const taken = { prompt: 0, slow: 0, again: 0, late: 0 };
  const slowOf = new Map<string, number>();
  const count = ({ group, accountId }: Slot, change: 1 | -1): void => {
    taken[group] += change;
    if (group !== 'slow' && group !== 'late') return;
    const slowCount = (slowOf.get(accountId) ?? 0) + change;
    if (slowCount > 0) slowOf.set(accountId, slowCount);
    else slowOf.delete(accountId);
  };
  return { taken, slowOf, count };
}

/**
 * Keeps the turns of accounts in slow lanes. Each claim starts after the last account that the previous claim served.
 */
function createTurn() {
  let lastServed: string = NIL;
  let isNew = true;
  return {
    next: (): string => {
      isNew = true;
      return lastServed;
    },
    serve: (accountId: string): void => {
      if (isNew || accountId > lastServed) lastServed = accountId;
      isNew = false;
    },
  };
}
