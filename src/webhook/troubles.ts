import { performance } from 'node:perf_hooks';
import type { Logger } from '../base/telemetry/log.js';
import type { WebhookMetrics } from './metrics.js';
import { type OwnFailure, type OwnFailureKind, ownFailureTexts } from './own-failures.js';

/** Keeps own failures that continue. Each has a log line when it begins, and one when attempts succeed again. */
export interface Troubles {
  /** Notes an own failure. Returns the pause of its lane in milliseconds. */
  failed({ kind, detail }: OwnFailure): number;
  /**
   * Notes a success of work that began at `since`: deliveries were made, secrets opened (`keys`), or a connection made,
   * too (`sending`).
   */
  passed(since: number, what: 'deliveries' | 'keys' | 'sending'): void;
  /** True if nothing has succeeded since an own failure, so other attempts would fail, too. */
  areInTheWay(): boolean;
  now(): string[];
}

interface Trouble {
  beganAt: number;
  failedAt: number;
  failures: number;
}

// The trouble ends only after this time, because attempts of one moment end partly before and partly after it.
const QUIET_MS = 10_000;
// After this time a trouble counts as over even if nothing was sent: there may be nothing to send.
const FORGOTTEN_MS = 60_000;
// Most troubles may end at any moment, or another worker may have none, so the pause is short. Damaged secrets need an
// operator.
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
    log.info({ trouble: kind, failures, seconds, text: ownFailureTexts[kind] }, 'webhook.trouble_over');
  };

  return {
    failed: ({ kind, detail }: OwnFailure): number => {
      const now = performance.now();
      // Damaged secrets do not concern other endpoints.
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
      log.error({ trouble: kind, detail, text: ownFailureTexts[kind] }, 'webhook.trouble');
      return pauseMs;
    },
    passed: (since: number, what: 'deliveries' | 'keys' | 'sending'): void => {
      const isOfDeliveries = (kind: OwnFailureKind) => (kind === 'deliveries') === (what === 'deliveries');
      for (const kind of inTheWay) if (isOfDeliveries(kind)) inTheWay.delete(kind);
      for (const [kind, trouble] of troubles) {
        const isPast = isOfDeliveries(kind) && (what !== 'keys' || kind === what);
        if (isPast && since > trouble.failedAt && performance.now() - trouble.failedAt > QUIET_MS) end(kind, trouble);
      }
    },
    areInTheWay: () => inTheWay.size > 0,
    now: (): string[] => {
      for (const [kind, trouble] of troubles) {
        if (performance.now() - trouble.failedAt > FORGOTTEN_MS) end(kind, trouble);
      }
      return [...troubles.keys()].filter((kind) => kind !== 'secrets').map((kind) => ownFailureTexts[kind]);
    },
  };
}

/**
 * Decides who is to blame for a delivery that cannot be made: the lane, if deliveries of other lanes can be made, else
 * this process.
 */
export interface Blame {
  /** Notes that work made deliveries. It began at `since`, on the clock of performance.now(). */
  made(since: number): void;
  /** Notes that no lane got a delivery. Returns the pause of the lanes in milliseconds if this process is to blame. */
  failed(failures: readonly (readonly [laneId: number, err: unknown])[]): number | undefined;
}

export function createBlame(troubles: Pick<Troubles, 'failed' | 'passed'>): Blame {
  let hasMade = false;
  /** The first lane that failed since the last success. If a second lane fails, too, the process is to blame. */
  let suspect: number | undefined;
  return {
    made: (since: number): void => {
      hasMade = true;
      suspect = undefined;
      troubles.passed(since, 'deliveries');
    },
    failed: (failures: readonly (readonly [laneId: number, err: unknown])[]): number | undefined => {
      const [first] = failures;
      if (!first) return undefined;
      const [laneId, err] = first;
      suspect ??= laneId;
      if (hasMade && failures.every(([each]) => each === suspect)) return undefined;
      hasMade = false;
      return troubles.failed({ kind: 'deliveries', detail: err instanceof Error ? err.message : String(err) });
    },
  };
}
