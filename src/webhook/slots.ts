import { performance } from 'node:perf_hooks';
import { NIL } from 'uuid';
import type { Claim, ClaimLimits } from '../outbox/claim.js';
import type { WorkerSettings } from './settings.js';

/**
 * The places of requests under way. Each group of lanes has its own places, and a request that turns out to be slow gives up its
 * place among the prompt ones and continues among the late ones: so slow receivers, however many, take no place that prompt ones
 * need. An account may take at most as many slow places as it leaves free for others.
 */
export interface Places {
  /** Moves requests that are late to the late places, and returns what may be claimed now. */
  free(): Omit<ClaimLimits, 'leaseMs'>;
  /** A few of them, where most attempts would fail. */
  freeForTrial(): Omit<ClaimLimits, 'leaseMs'>;
  /** Takes a place; the function returned gives it back. */
  take(claim: Pick<Claim, 'group' | 'accountId'>): () => void;
  /** Whether a receiver that took so long counts as slow. */
  isSlow(durationMs: number): boolean;
}

type Settings = Pick<
  WorkerSettings,
  | 'concurrency'
  | 'retryConcurrency'
  | 'slowConcurrency'
  | 'lateConcurrency'
  | 'accountConcurrency'
  | 'promptMs'
  | 'claimSize'
>;

interface Place {
  accountId: string;
  group: Claim['group'] | 'late';
  since: number;
}

// While all prompt places are taken, requests become late sooner; while there is room for late ones, an answer that was a little
// late does not make its receiver slow.
const LENIENCY = 4;
const OF_TRIAL = 8;

export function createPlaces(settings: Settings): Places {
  const { claimSize, promptMs } = settings;
  const counts = { prompt: 0, slow: 0, again: 0, late: 0 };
  /** In the order in which they were taken. */
  const prompt = new Set<Place>();
  const slowOf = new Map<string, number>();
  let lastServed: string = NIL;
  let newTurn = true;

  const count = ({ group, accountId }: Place, change: 1 | -1): void => {
    counts[group] += change;
    if (group !== 'slow' && group !== 'late') return;
    const slowCount = (slowOf.get(accountId) ?? 0) + change;
    if (slowCount > 0) slowOf.set(accountId, slowCount);
    else slowOf.delete(accountId);
  };

  const moveLate = (): void => {
    const now = performance.now();
    const patienceMs = counts.prompt < settings.concurrency ? promptMs : promptMs / LENIENCY;
    for (const place of prompt) {
      if (now - place.since < patienceMs || counts.late >= settings.lateConcurrency) return;
      prompt.delete(place);
      count(place, -1);
      place.group = 'late';
      count(place, 1);
    }
  };

  const serve = (accountId: string): void => {
    if (newTurn || accountId > lastServed) lastServed = accountId;
    newTurn = false;
  };

  const freeSlow = (): ClaimLimits['slow'] => {
    const freePlaces = settings.slowConcurrency - counts.slow;
    newTurn = true;
    return {
      lanes: Math.min(freePlaces, claimSize),
      ofAccount: Math.ceil(freePlaces / 4),
      ofAccountAtOnce: Math.min(freePlaces, settings.accountConcurrency),
      underWay: slowOf,
      after: lastServed,
    };
  };

  const free = (): Omit<ClaimLimits, 'leaseMs'> => {
    moveLate();
    return {
      prompt: Math.min(settings.concurrency - counts.prompt, claimSize),
      slow: freeSlow(),
      again: Math.min(settings.retryConcurrency - counts.again, claimSize),
    };
  };

  return {
    free,
    freeForTrial: () => {
      const { prompt: prompts, slow, again } = free();
      const lanes = Math.min(slow.lanes, OF_TRIAL);
      return { prompt: Math.min(prompts, OF_TRIAL), slow: { ...slow, lanes }, again: Math.min(again, OF_TRIAL) };
    },
    take: ({ group, accountId }) => {
      const place: Place = { accountId, group, since: performance.now() };
      count(place, 1);
      if (group === 'prompt') prompt.add(place);
      if (group === 'slow') serve(accountId);
      return () => {
        count(place, -1);
        prompt.delete(place);
      };
    },
    isSlow: (durationMs) => durationMs > promptMs * (2 * counts.late < settings.lateConcurrency ? LENIENCY : 1),
  };
}
