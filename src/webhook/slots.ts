import { performance } from 'node:perf_hooks';
import { NIL } from 'uuid';
import type { Claim, ClaimLimits } from '../queue/claim.js';
import type { SlotSettings } from './settings.js';

/**
 * Slots of the requests under way, by group of lanes. A slow request moves from its prompt slot to a late one. An
 * account takes at most as many slow slots as it leaves free for others.
 */
export interface Slots {
  /** Moves late requests to late slots, and returns the lanes that may be claimed now; a few lanes only, as a trial. */
  free(isTrial?: boolean): Omit<ClaimLimits, 'leaseMs'>;
  take({ group, accountId }: Pick<Claim, 'group' | 'accountId'>): () => void;
  /** True when a receiver that took so long counts as slow. */
  isSlow(durationMs: number): boolean;
}

interface Slot {
  accountId: string;
  group: Claim['group'] | 'late';
  since: number;
}

// While all prompt slots are taken, requests become late sooner. While late slots are free, an answer that was a little
// late does not make its receiver slow.
const LENIENCY = 4;
const OF_TRIAL = 8;

export function createSlots(settings: SlotSettings): Slots {
  const { claimSize, promptMs } = settings;
  const { taken, slowOf, count } = createCounts();
  const turn = createTurn();
  /** In the order in which they were taken. */
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

/** Slots that are taken, by group; slow and late ones by account too. */
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

/** The turns of accounts in the slow lanes: each claim begins after the last account that the claim before served. */
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
