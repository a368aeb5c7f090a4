/**
 * # The theory of delivery
 *
 * Terms: docs/glossary.md#tracking-webhook.
 *
 * ## Who takes part
 *
 * - Enqueuers commit a movement and its notifications in one transaction (queue/enqueue.ts).
 * - Workers, any number of them on one database, send the notifications to receivers.
 * - A lane is what a worker claims: all packages of an endpoint, or a part of them, chosen by a hash. A claim is a
 *   lease under a fresh claim_id.
 * - A delivery is what one request carries: notifications of up to 50 packages of one lane. It is frozen before it is
 *   first sent: its notifications, its bytes and its webhook-id are written and do not change any more.
 *
 * ## The states of a lane
 *
 * - idle: nothing waits.
 * - ready: something waits, and may be claimed.
 * - leased: one worker has it, until due_at.
 * - waiting: its delivery failed, and is due again at due_at.
 * - stopped: its endpoint is disabled or deleted.
 * - held: its endpoint was given another number of lanes, and older lanes are not empty yet.
 *
 * A delivery belongs to its lane until it is acknowledged, or until its last attempt fails and it becomes a dead
 * letter.
 *
 * ## The loop
 *
 *   step     a lane that is …                      is then …
 *   claim    ready, waiting or leased, and due     leased (stopped, if the endpoint is disabled)
 *   freeze   leased, without a delivery            leased with a delivery (idle, if nothing waits)
 *   send     leased: no transaction, no connection of the pool, no change in the database
 *   record   leased under my claim_id              ready or idle (acknowledged, dead letter), waiting (failed),
 *                                                  stopped (410)
 *
 * ## Guarantees
 *
 * 1. At least once: only one statement removes a notification. It records that the delivery was acknowledged or became
 *    a dead letter.
 * 2. In order for each package and endpoint: a package has one lane, a lane one delivery at a time, and a delivery one
 *    notification of each package, the oldest. A lane takes its next delivery only when the one before is settled. It
 *    is read from a floor on, below which no notification can come any more (queue/floors.ts). Replays and tests have a
 *    lane of their own and are marked.
 * 3. Isolation: a failed delivery makes only its lane wait, and an attempt has one deadline. Deliveries that have
 *    failed before, and slow receivers, have their own slots among the requests under way (slots.ts). A receiver counts
 *    as slow until its first answer shows that it is not. Slow lanes are claimed account by account, in turn.
 * 4. Same webhook-id, same bytes: a delivery is written before its first request and not again, unless personal data in
 *    it are erased (queue/erasure.ts).
 * 5. Duplicates only where a worker died, or the answer was lost, between request and record.
 *
 * ## What a crash does
 *
 * - Between claim and freeze: nothing was chosen. The lease runs out, and the next worker chooses.
 * - Between freeze and send: the next worker sends the frozen delivery for the first time.
 * - Between send and record: the next worker sends the same bytes under the same id again. This is the one duplicate.
 * - After record: nothing, the lane is free.
 *
 * A worker that was only slow may come back after its lease ran out. It then finds another claim_id: its attempt is
 * stored and changes nothing ("lease-lost"). A worker begins no request that could last longer than the lease.
 *
 * ## Our own failures
 *
 * If this machine itself is the reason (own-failures.ts), nothing is recorded. The lane is ready again after a second,
 * for any worker, and has lost no attempt. Meanwhile this worker claims only a few lanes at a time, as a trial. It
 * claims none while another worker is well (app/slowness.ts), until its failures are a minute old. A worker whose clock
 * is wrong, or whose machine does not let it run, claims nothing. It gives back at once what it has not begun to send.
 *
 * ## Time and waking
 *
 * All decisions use the database's clock. An enqueuer wakes the lane. If the lane was leased or locked at that moment,
 * the statement that records finds the waiting rows, or else the sweep does, within a second (upkeep.ts).
 */
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Claim, ClaimLimits } from '../queue/claim.js';
import { type AttemptDeps, attempt, type Lease } from './attempt.js';
import type { ClaimedDelivery } from './next-deliveries.js';
import { createPacer, type Pacer } from './pacer.js';
import { createSlots, type Slots } from './slots.js';

interface DispatcherDeps extends AttemptDeps {
  claim(limits: ClaimLimits): Promise<Claim[]>;
  /** Returns the delivery of each lane, and freezes one for a lane without. Empty and lost lanes are left out. */
  nextDeliveries(claims: readonly Claim[]): Promise<ClaimedDelivery[]>;
  /** False while this process must leave all lanes to other workers. Results of sent requests are still recorded. */
  mayWork(): boolean;
}

// So the database can read for one claim while this process makes the deliveries of another.
const MAX_PREPARING = 2;

export function createDispatcher(deps: DispatcherDeps) {
  const { settings, metrics, log } = deps;
  const pacer = createPacer(settings);
  const abort = new AbortController();
  const slots = createSlots(settings);
  const work = createWork(deps, pacer, slots, abort.signal);
  let loop = Promise.resolve();
  setMaxListeners(0, abort.signal);

  const round = async (): Promise<void> => {
    if (!(await work.canPrepare())) return pacer.rest('failed');
    if (!deps.mayWork()) return pacer.rest('trial');
    const isTrial = deps.troubles.areInTheWay();
    const free = slots.free(isTrial);
    if (free.prompt + free.slow.lanes + free.again === 0) return pacer.rest('full');
    // Count from before the claim, because its answer may be late. So the real lease never ends before this time.
    const leasedUntil = performance.now() + settings.leaseMs;
    const claims = await deps.claim({ ...free, leaseMs: settings.leaseMs });
    metrics.claimed(claims);
    if (claims.length > 0) work.prepare(claims, { claimedAt: performance.now(), leasedUntil });
    if (isTrial) return pacer.rest('trial');
    return pacer.rest(claims.length >= settings.claimSize ? 'more' : work.isUnderWay() ? 'busy' : 'idle');
  };

  const run = async (): Promise<void> => {
    while (!pacer.stopped()) {
      await round().catch((err: unknown) => {
        log.warn({ err }, 'webhook.claim_failed');
        return pacer.rest('failed');
      });
    }
  };

  return {
    start: (): void => {
      loop = run();
    },
    /**
     * Claims nothing more and waits for requests under way. After `stopMs` it cuts them off and gives their lanes back.
     */
    stop: async (): Promise<void> => {
      pacer.stop();
      const timer = setTimeout(() => {
        abort.abort();
        deps.recorder.giveUp();
      }, settings.stopMs);
      await loop;
      await work.ended();
      clearTimeout(timer);
    },
    underWay: work.requests,
  };
}

function createWork(deps: DispatcherDeps, pacer: Pacer, slots: Slots, signal: AbortSignal) {
  const { metrics, log } = deps;
  const preparing = new Set<Promise<void>>();
  const underWay = new Set<Promise<void>>();
  let hasFailed = false;

  const begin = (delivery: ClaimedDelivery, lease: Lease, leaveSlot: (() => void) | undefined): void => {
    metrics.inFlight(underWay.size + 1);
    const request = attempt(deps, delivery, lease, { signal, isSlow: slots.isSlow })
      .then((moreWaits) => moreWaits && pacer.wake())
      .catch((err: unknown) => log.error({ err, webhookId: delivery.webhookId }, 'webhook.delivery_failed'))
      .then(() => {
        leaveSlot?.();
        underWay.delete(request);
        metrics.inFlight(underWay.size);
        pacer.freed();
      });
    underWay.add(request);
  };

  /** Makes and starts to send the deliveries of the claimed lanes. Their slots are taken from now on. */
  const prepare = (claims: readonly Claim[], lease: Lease): void => {
    const leaveSlots = new Map(claims.map((claim) => [claim, slots.take(claim)]));
    const preparation = deps
      .nextDeliveries(claims)
      .then(async (deliveries) => {
        if (pacer.stopped() || !deps.mayWork()) return deps.release(claims);
        for (const delivery of deliveries) {
          begin(delivery, lease, leaveSlots.get(delivery.claim));
          leaveSlots.delete(delivery.claim);
        }
      })
      .catch((err: unknown) => {
        hasFailed = true;
        log.warn({ err }, 'webhook.freeze_failed');
      })
      .then(() => {
        for (const leaveSlot of leaveSlots.values()) leaveSlot();
        preparing.delete(preparation);
        pacer.freed();
      });
    preparing.add(preparation);
  };

  return {
    prepare,
    /** Waits until more deliveries may be prepared. Returns false once after a failed preparation. */
    canPrepare: async (): Promise<boolean> => {
      if (preparing.size >= MAX_PREPARING) await Promise.race(preparing);
      const canPrepare = !hasFailed;
      hasFailed = false;
      return canPrepare;
    },
    isUnderWay: () => preparing.size + underWay.size > 0,
    requests: () => underWay.size,
    ended: () => Promise.all(preparing).then(() => Promise.all(underWay)),
  };
}
