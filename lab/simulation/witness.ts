import type { WaitingNotification } from '../../src/outbox/freeze.js';
import type { Verdict } from '../../src/outbox/schedule.js';

/** Sees everything that happens, knows nothing of how the engine works, and says what must not have happened. */
export type Witness = ReturnType<typeof createWitness>;

interface Settlement {
  claimId: string;
  webhookId: string;
  verdict: Verdict;
  /** Which attempt of the body this was, from 1. */
  attempt: number;
  bytes: Buffer | undefined;
}

/** An entry of a body, which is JSON. */
interface Entry {
  key: string;
  seq: number;
}

interface Promises {
  now(): number;
  pausesMs: readonly number[];
  jitter: number;
}

export function createWitness({ now, pausesMs, jitter }: Promises) {
  const violations: string[] = [];
  const committed: WaitingNotification[] = [];
  const holders = new Map<number, string>();
  const bytesOf = new Map<string, Buffer>();
  const idOf = new Map<string, string>();
  const latest = new Map<string, number>();
  const delivered = new Set<string>();
  const acknowledged = new Set<string>();
  const notBefore = new Map<string, number>();
  const requestedPauses = new Map<string, number>();

  const sending = (webhookId: string): void => {
    const due = notBefore.get(webhookId) ?? 0;
    if (now() < due) violations.push(`${webhookId} was sent ${due - now()} ms before its time`);
  };

  const arrived = (webhookId: string, bytes: Buffer): void => {
    const earlier = bytesOf.get(webhookId);
    if (earlier && !earlier.equals(bytes)) violations.push(`other bytes under ${webhookId}`);
    bytesOf.set(webhookId, bytes);
    for (const { key, seq } of entriesOf(bytes)) {
      const newest = latest.get(key) ?? 0;
      if (seq < newest) violations.push(`movement ${seq} of ${key} came after ${newest}`);
      latest.set(key, Math.max(seq, newest));
      const id = idOf.get(`${key} ${seq}`) ?? webhookId;
      if (id !== webhookId) violations.push(`movement ${seq} of ${key} came in ${id} and in ${webhookId}`);
      idOf.set(`${key} ${seq}`, webhookId);
    }
  };

  const keep = (bytes: Buffer | undefined): void => {
    for (const { key, seq } of entriesOf(bytes)) delivered.add(`${key} ${seq}`);
  };

  const answered = (webhookId: string, status: number): void => {
    if (status !== 200 && status !== 201) return;
    acknowledged.add(webhookId);
    keep(bytesOf.get(webhookId));
  };

  const settled = ({ claimId, webhookId, verdict, attempt, bytes }: Settlement): void => {
    if (verdict.kind === 'acknowledged' && !acknowledged.has(webhookId)) {
      violations.push(`${webhookId} was taken for acknowledged`);
    }
    if (verdict.kind === 'dead') {
      keep(bytes);
      if (attempt !== pausesMs.length + 1) violations.push(`${webhookId} was given up after attempt ${attempt}`);
    }
    if (verdict.kind === 'retry') putOff(webhookId, attempt, verdict.delayMs, requestedPauses.get(claimId) ?? 0);
  };

  const putOff = (webhookId: string, attempt: number, delayMs: number, requestedMs: number): void => {
    const pause = pausesMs[attempt - 1] ?? 0;
    const least = Math.floor(Math.max(pause * (1 - jitter), requestedMs));
    const most = Math.ceil(Math.max(pause * (1 + jitter), requestedMs));
    if (delayMs < least || delayMs > most) {
      violations.push(`${webhookId} was put off by ${delayMs} ms after attempt ${attempt}`);
    }
    notBefore.set(webhookId, now() + least);
  };

  const wrote = (laneId: number, claimId: string): void => {
    if (holders.get(laneId) !== claimId) violations.push(`lane ${laneId} was changed under the stale ${claimId}`);
  };

  const lost = (): string[] =>
    committed
      .filter(({ loggiKey, seq }) => !delivered.has(`${loggiKey} ${seq}`))
      .map(({ loggiKey, seq }) => `movement ${seq} of ${loggiKey} was lost`);

  return {
    committed: (notification: WaitingNotification) => void committed.push(notification),
    leased: (laneId: number, claimId: string) => void holders.set(laneId, claimId),
    released: (laneId: number) => void holders.delete(laneId),
    /** A worker changed a lane, or what belongs to it, under a lease. */
    wrote,
    settled,
    /** A worker learned that it is to wait. */
    heard: (claimId: string, retryAfterMs: number) => void requestedPauses.set(claimId, retryAfterMs),
    /** The operator wants the body sent on a fresh schedule. */
    startedAnew: (webhookId: string) => void notBefore.delete(webhookId),
    sending,
    arrived,
    answered,
    violations: () => [...violations, ...lost()],
  };
}

const entriesOf = (bytes: Buffer | undefined): Entry[] => (bytes ? JSON.parse(bytes.toString('utf8')) : []);
