/**
 * The theory of delivery.
 *
 * Actors. Enqueuers commit a movement and its notifications in one transaction. Senders, any number of them on one
 * database, carry notifications to receivers. A lane (an endpoint's packages, or a part of them by a hash) is what a
 * sender claims; a claim is a lease under a fresh claim_id. A body is what one request carries: up to 50 packages of one
 * lane, frozen, members and bytes, under its webhook-id before it is first sent.
 *
 * States of a lane. idle: nothing waits. ready: due. leased: one sender has it, until due_at. waiting: its body failed
 * and is due again at due_at. stopped: its endpoint is disabled or ended. held: made by a change of the endpoint's number of
 * lanes, while older lanes still hold something. A body belongs to its lane until it is acknowledged, or becomes a dead
 * letter after its last attempt.
 *
 *   claim    ready, waiting or leased, and due  → leased (stopped, if the endpoint is disabled)
 *   freeze   leased, no body                    → leased with a body (idle, if nothing waits)
 *   send     no transaction, no connection of the pool, nothing in the database changes
 *   record   leased under my claim_id           → ready or idle (acknowledged, dead letter), waiting (failed), stopped (410)
 *
 * Guarantees.
 * 1. At least once: a notification is removed only by the statement that records its acknowledgement or its body as a
 *    dead letter.
 * 2. In order for each package and endpoint: a package has one lane, a lane one body, a body one notification of each
 *    package, the oldest; and a lane takes its next body only when the one before is settled. Replays and tests travel
 *    on a lane of their own and are marked.
 * 3. Isolation: waiting belongs to the lane; an attempt has one deadline; bodies that have failed before, and receivers that
 *    are slow, have places of their own among those under way (places.ts). A receiver that has not been asked yet counts
 *    as slow: if it is not, its first answer shows it. Slow lanes are claimed account by account, in turn.
 * 4. Same webhook-id, same bytes: a body is written before its first request and never again.
 * 5. Duplicates only where a sender died, or lost the answer, between request and record.
 *
 * What a crash does. Between claim and freeze: nothing was chosen; the lease runs out and the next sender chooses. Between
 * freeze and send: the next sender sends the frozen body for the first time. Between send and record: the next sender
 * sends the same bytes under the same id again, the one duplicate. After record: nothing, the lane is free. A sender that
 * was only slow, and comes back after its lease ran out, finds another claim_id: what it saw is logged as an attempt and
 * changes nothing ("lease-lost"). It begins no request that could outlive the lease.
 *
 * All times that decide are the database's. A lane is woken by its enqueuer; one that was leased or locked just then is
 * found by the record's own look at what waits, else by the sweep within a second.
 */
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Logger } from '../base/log.js';
import type { Claim, ClaimLimits } from '../deliveries/claim.js';
import { nextAttempt } from '../deliveries/schedule.js';
import type { Load } from './load.js';
import type { WebhookMetrics } from './metrics.js';
import { createPacer } from './pacer.js';
import { createPlaces, type Places } from './places.js';
import type { Recorder } from './recorder.js';
import { toResult } from './result.js';
import type { Sent } from './sender.js';
import type { SenderSettings } from './settings.js';

export interface DispatcherDeps {
  claim(limits: ClaimLimits): Promise<Claim[]>;
  /** Freezes what has no body yet. Lanes with nothing to send, or lost meanwhile, are left out. */
  load(claims: readonly Claim[]): Promise<Load[]>;
  send(load: Load, sentAt: Date, signal: AbortSignal): Promise<Sent>;
  recorder: Recorder;
  /** Gives back lanes of which nothing was sent. */
  release(claims: readonly Claim[]): Promise<void>;
  settings: SenderSettings;
  metrics: WebhookMetrics;
  log: Logger;
  random(): number;
}

/** In performance.now()'s time: when the claim was answered, and until when it holds at least. */
interface Lease {
  claimedAt: number;
  leasedUntil: number;
}

export interface Dispatcher {
  start(): void;
  /** Claims nothing more, waits for what is under way, cuts off what lasts longer than `stopMs`, and gives its lanes back. */
  stop(): Promise<void>;
  /** Requests under way. */
  underWay(): number;
}

// The database reads for one claim while this process makes the bodies of another.
const MOST_LOADING = 2;

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { settings, metrics, log } = deps;
  const pacer = createPacer(settings);
  const cut = new AbortController();
  const places = createPlaces(settings);
  const loading = new Set<Promise<void>>();
  const underWay = new Set<Promise<void>>();
  let loop = Promise.resolve();
  let failed = false;
  setMaxListeners(0, cut.signal);

  const round = async (): Promise<void> => {
    if (loading.size >= MOST_LOADING) await Promise.race(loading);
    if (failed) {
      failed = false;
      return pacer.rest('failed');
    }
    const free = places.free();
    if (free.prompt + free.slow.lanes + free.again === 0) return pacer.rest('full');
    // Counted from before the claim, as its answer may be late: a lease is never longer than it is taken for.
    const leasedUntil = performance.now() + settings.leaseMs;
    const claims = await deps.claim({ ...free, leaseMs: settings.leaseMs });
    metrics.claimed(claims);
    if (claims.length > 0) prepare(claims, { claimedAt: performance.now(), leasedUntil });
    return pacer.rest(
      claims.length >= settings.claimSize ? 'more' : loading.size + underWay.size > 0 ? 'busy' : 'idle',
    );
  };

  /** Loads what was claimed and begins to send it. Places are taken from the claim on. */
  const prepare = (claims: readonly Claim[], lease: Lease): void => {
    const leaves = new Map(claims.map((claim) => [claim, places.take(claim)]));
    const work = deps
      .load(claims)
      .then(async (loads) => {
        if (pacer.stopped()) return deps.release(claims);
        for (const load of loads) {
          begin(load, lease, leaves.get(load.claim));
          leaves.delete(load.claim);
        }
      })
      .catch((err: unknown) => {
        failed = true;
        log.warn({ err }, 'cannot load what was claimed');
      })
      .then(() => {
        for (const leave of leaves.values()) leave();
        loading.delete(work);
        pacer.freed();
      });
    loading.add(work);
  };

  const begin = (load: Load, lease: Lease, leave: (() => void) | undefined): void => {
    metrics.inFlight(underWay.size + 1);
    const delivery = deliver(deps, load, lease, { cut: cut.signal, isSlow: places.isSlow })
      .then((more) => more && pacer.wake())
      .catch((err: unknown) => log.error({ err, webhookId: load.webhookId }, 'a delivery ended unexpectedly'))
      .then(() => {
        leave?.();
        underWay.delete(delivery);
        metrics.inFlight(underWay.size);
        pacer.freed();
      });
    underWay.add(delivery);
  };

  const run = async (): Promise<void> => {
    while (!pacer.stopped()) {
      await round().catch((err: unknown) => {
        log.warn({ err }, 'cannot look for what is due');
        return pacer.rest('failed');
      });
    }
  };

  const stop = async (): Promise<void> => {
    pacer.stop();
    const timer = setTimeout(() => {
      cut.abort();
      deps.recorder.giveUp();
    }, settings.stopMs);
    await loop;
    await Promise.all(loading);
    await Promise.all(underWay);
    clearTimeout(timer);
  };

  const start = () => {
    loop = run();
  };

  return { start, stop, underWay: () => underWay.size };
}

/** Sends and records one body. True when more waits in its lane. */
async function deliver(
  deps: DispatcherDeps,
  load: Load,
  { claimedAt, leasedUntil }: Lease,
  { cut, isSlow }: { cut: AbortSignal; isSlow: Places['isSlow'] },
): Promise<boolean> {
  const { claim, kind } = load;
  // A request that outlived its lease could reach the receiver after the next sender's, and tell of an older state.
  if (performance.now() + deps.settings.deadlineMs > leasedUntil) {
    await deps.release([claim]);
    return false;
  }
  const sentAt = new Date(claim.claimedAt.getTime() + performance.now() - claimedAt);
  const { outcome, reused } = await deps.send(load, sentAt, cut);
  if (cut.aborted && outcome.kind !== 'answered') {
    await deps.release([claim]);
    return false;
  }
  const number = claim.attempts + 1;
  const verdict = nextAttempt(deps.settings.schedule, { kind, number, outcome }, deps.random, sentAt);
  const slow = isSlow(outcome.durationMs);
  const result = toResult(load, { outcome, verdict, attemptedAt: sentAt, slow });
  const recorded = await deps.recorder.record(result, leasedUntil);
  deps.metrics.recorded(result, recorded, reused);
  const level = result.outcome === 'acknowledged' && recorded.kind === 'recorded' ? 'debug' : 'info';
  const { responseBody: _, error: reason, ...fields } = result;
  deps.log[level]({ ...fields, reason, recorded: recorded.kind }, 'webhook attempt');
  return recorded.kind === 'recorded' && recorded.lane === 'ready';
}
