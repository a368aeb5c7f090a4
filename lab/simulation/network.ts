import type { Outcome } from '../../src/outbox/schedule.js';
import type { ClaimedDelivery } from '../../src/webhook/next-deliveries.js';
import type { Sent } from '../../src/webhook/request.js';
import { between, choose, type Random } from '../../test/support/random.js';
import type { Breakage } from './simulate.js';
import type { Process, VirtualTime } from './virtual-time.js';
import type { Witness } from './witness.js';

export type Network = (process: Process, load: ClaimedDelivery, signal: AbortSignal) => Promise<Sent>;

interface NetworkOptions {
  time: VirtualTime;
  random: Random;
  witness: Witness;
  deadlineMs: number;
  /** All goes well from now on. */
  calm(): boolean;
  broken: Breakage | undefined;
}

/** `lost`: the receiver has taken it, and its answer does not come back. `no network`: the worker's own has none. */
type Reply = { status: number; retryAfter?: string } | 'lost' | 'hang' | 'unreachable' | 'no network';

const replies: readonly (readonly [number, Reply])[] = [
  [60, { status: 200 }],
  [5, { status: 201 }],
  [10, { status: 500 }],
  [4, { status: 202 }],
  [5, { status: 429, retryAfter: '1' }],
  [2, { status: 503, retryAfter: '2' }],
  [1, { status: 410 }],
  [6, 'lost'],
  [4, 'hang'],
  [3, 'unreachable'],
  [2, 'no network'],
];

/** Receivers, and the way to them: slow, lossy, and refusing at random. */
export function fakeNetwork({ time, random, witness, deadlineMs, calm, broken }: NetworkOptions): Network {
  const arrive = ({ webhookId, body }: ClaimedDelivery, reply: Reply, answer: (outcome: Outcome) => void): void => {
    witness.arrived(webhookId, body);
    if (typeof reply === 'string' && reply !== 'lost') return;
    const status = reply === 'lost' ? 200 : reply.status;
    witness.answered(webhookId, status);
    time.after(between(random, 1, 60), () => answer(reply === 'lost' ? failed('no_answer') : answerOf(reply)));
  };

  const answerOf = (reply: { status: number; retryAfter?: string }): Outcome => {
    const status = reply.status === 202 && broken === '202 acknowledges' ? 200 : reply.status;
    const deaf = broken === 'Retry-After is not heard';
    return { kind: 'answered', ...reply, status, ...(deaf && { retryAfter: '' }), body: '', durationMs: 0 };
  };

  return async (process, load, signal) => {
    witness.sending(load.webhookId);
    const startedAt = time.now();
    const left = () => deadlineMs - (time.now() - startedAt);
    const reply = calm() ? { status: 200 } : choose<Reply>(random, replies, 'hang');
    await time.sleep(random() < 0.05 ? between(random, 50, deadlineMs) : between(random, 1, 10));
    // A process that goes on after its deadline sees first that it is over.
    await process.live();
    if (reply === 'no network') return { outcome: failed('not_sent'), reused: false, ownFailure };
    if (left() <= 0 || signal.aborted || reply === 'unreachable') return { outcome: failed('not_sent'), reused: false };
    const outcome = await new Promise<Outcome>((resolve) => {
      time.after(between(random, 1, 5), () => arrive(load, reply, resolve));
      const deadline = time.after(left(), () => resolve(failed('no_answer')));
      signal.addEventListener('abort', () => {
        deadline.action = undefined;
        resolve(failed('no_answer'));
      });
    });
    await process.live();
    const durationMs = time.now() - startedAt;
    if (left() <= 0) return { outcome: { ...failed('no_answer'), durationMs }, reused: true };
    if (typeof reply === 'object' && reply.retryAfter && outcome.kind === 'answered') {
      witness.heard(load.claim.claimId, Number(reply.retryAfter) * 1_000);
    }
    return { outcome: { ...outcome, durationMs }, reused: true };
  };
}

const failed = (kind: 'no_answer' | 'not_sent'): Outcome => ({ kind, error: kind, durationMs: 0 });
const ownFailure = { kind: 'network', detail: 'ENETUNREACH' } as const;
