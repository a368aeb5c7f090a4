import { performance } from 'node:perf_hooks';
import type { Logger } from '../base/log.js';
import type { WebhookMetrics } from './metrics.js';
import { type OwnFailure, type OwnFailureKind, ownFailureTexts } from './own-failures.js';

/**
 * Own failures that go on. A trouble begins with the first failure of its kind and ends when attempts succeed where they failed: one log
 * line each, however many attempts failed between.
 */
export interface Troubles {
  /** Returns how long to wait with the lane that was concerned, in ms. */
  failed(failure: OwnFailure): number;
  /**
   * Something that began then, in performance.now()'s time, went well: `deliveries` were made; an attempt opened its endpoint's secrets
   * (`keys`), or made a connection besides (`sending`).
   */
  passed(since: number, what: 'deliveries' | 'keys' | 'sending'): void;
  /** Since an own failure nothing has passed: more than a few attempts would fail as well. */
  areInTheWay(): boolean;
  /** The troubles of all endpoints that there are now, in words. */
  now(): string[];
}

interface Trouble {
  beganAt: number;
  failedAt: number;
  failures: number;
}

// Attempts of one moment end one after the other, some before and some after the trouble is over.
const QUIET_MS = 10_000;
// Nothing may be there to be tried.
const FORGOTTEN_MS = 60_000;
// Most troubles may be over at any moment, or another worker may have none; damaged secrets need an operator.
const PAUSE_MS = 1_000;
const DAMAGED_MS = 30_000;

export function createTroubles({
  log,
  metrics,
}: {
  log: Logger;
  metrics: Pick<WebhookMetrics, 'ownFailure' | 'trouble'>;
}): Troubles {
  const troubles = new Map<OwnFailureKind, Trouble>();
  const inTheWay = new Set<OwnFailureKind>();

  const end = (kind: OwnFailureKind, { beganAt, failures }: Trouble): void => {
    troubles.delete(kind);
    metrics.trouble(kind, false);
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    log.info({ trouble: kind, failures, seconds }, `over, webhooks are sent again: ${ownFailureTexts[kind]}`);
  };

  return {
    failed: ({ kind, detail }) => {
      const now = performance.now();
      // The other endpoints are not concerned.
      if (kind !== 'secrets') inTheWay.add(kind);
      metrics.ownFailure(kind);
      const pauseMs = kind === 'secrets' ? DAMAGED_MS : PAUSE_MS;
      const trouble = troubles.get(kind);
      if (trouble) {
        Object.assign(trouble, { failedAt: now, failures: trouble.failures + 1 });
        return pauseMs;
      }
      troubles.set(kind, { beganAt: now, failedAt: now, failures: 1 });
      metrics.trouble(kind, true);
      log.error(
        { trouble: kind, detail },
        `webhooks cannot be sent and are not counted as tried: ${ownFailureTexts[kind]}`,
      );
      return pauseMs;
    },
    passed: (since, what) => {
      const isOfDeliveries = (kind: OwnFailureKind) => (kind === 'deliveries') === (what === 'deliveries');
      for (const kind of inTheWay) if (isOfDeliveries(kind)) inTheWay.delete(kind);
      for (const [kind, trouble] of troubles) {
        const isPast = isOfDeliveries(kind) && (what !== 'keys' || kind === what);
        if (isPast && since > trouble.failedAt && performance.now() - trouble.failedAt > QUIET_MS) end(kind, trouble);
      }
    },
    areInTheWay: () => inTheWay.size > 0,
    now: () => {
      for (const [kind, trouble] of troubles) {
        if (performance.now() - trouble.failedAt > FORGOTTEN_MS) end(kind, trouble);
      }
      if (troubles.size === 0) inTheWay.clear();
      return [...troubles.keys()].filter((kind) => kind !== 'secrets').map((kind) => ownFailureTexts[kind]);
    },
  };
}
