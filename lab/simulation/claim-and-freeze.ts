import type { Claim, ClaimLimits, LaneGroup } from '../../src/outbox/claim.js';
import type { NewDelivery, WaitingNotification } from '../../src/outbox/freeze.js';
import type { Work } from './database.js';
import { type Lane, lockOwned, type Tables, unchecked, waitingIn } from './tables.js';

/** claim.ts: leases due lanes that nobody holds locked. */
export const claimLanes =
  (tables: Tables, { prompt, slow, again, leaseMs }: ClaimLimits): Work<Claim[]> =>
  ({ tryLock }) => {
    const due = tables.lanes.filter((lane) => isDue(tables, lane)).sort((one, other) => one.dueAt - other.dueAt);
    const ofGroup = (group: LaneGroup) => due.filter((lane) => groupOf(lane) === group);
    const ofAccount = slow.ofAccountAtOnce - (slow.underWay.get(ACCOUNT_ID) ?? 0);
    const chosen = [
      ...ofGroup('prompt').slice(0, prompt),
      ...ofGroup('slow').slice(0, Math.max(0, Math.min(slow.lanes, slow.ofAccount, ofAccount))),
      ...ofGroup('again').slice(0, again),
    ].filter(tryLock);
    return () => chosen.flatMap((lane) => (tables.disabled ? stop(tables, lane) : [lease(tables, lane, leaseMs)]));
  };

const ACCOUNT_ID = 'account';

const groupOf = ({ attempt, slow }: Lane): LaneGroup => (attempt > 0 ? 'again' : slow ? 'slow' : 'prompt');

function isDue({ now, broken }: Tables, { state, dueAt }: Lane): boolean {
  if (state === 'leased' && broken === 'a lane that is leased is claimed again before its lease ends') return true;
  return ['ready', 'leased', 'waiting'].includes(state) && dueAt <= now();
}

function stop({ witness }: Tables, lane: Lane): Claim[] {
  Object.assign(lane, { state: 'stopped', claimId: null });
  witness.released(lane.id);
  return [];
}

const nothing = Buffer.alloc(0);
const secrets = { password_sealed: nothing, secret_sealed: nothing, previous_secret_sealed: null };
const privateKeys = { private_key_sealed: null, previous_private_key_sealed: null };
const endpoint = { id: 'endpoint', url: '', username: '', ...secrets, ...privateKeys };

function lease(tables: Tables, lane: Lane, leaseMs: number): Claim {
  const { now, witness, broken } = tables;
  tables.claims += 1;
  const claimId = `claim ${tables.claims}`;
  const takenOver = lane.state === 'leased';
  const lateMs = now() - lane.dueAt;
  Object.assign(lane, { state: 'leased', claimId, dueAt: now() + leaseMs });
  witness.leased(lane.id, claimId);
  if (broken === 'a body is frozen anew at each attempt') lane.webhookId = null;
  return {
    laneId: lane.id,
    accountId: ACCOUNT_ID,
    group: groupOf(lane),
    claimId,
    isRequestLane: false,
    endpoint,
    attempts: lane.attempt,
    delivery: frozenIn(tables, lane),
    claimedAt: new Date(now()),
    lateMs,
    takenOver,
  };
}

function frozenIn({ bodies }: Tables, { webhookId }: Lane): Claim['delivery'] {
  const body = webhookId === null ? undefined : bodies.get(webhookId);
  if (webhookId === null || !body) return undefined;
  return { webhookId, body: body.bytes, kind: 'tracking', attemptsBefore: 0, traceparents: [] };
}

/** freeze.ts: what waits in the lanes, oldest first. */
export const oldestWaiting =
  (tables: Tables, laneIds: readonly number[]): Work<WaitingNotification[]> =>
  () => {
    const oldest = laneIds.flatMap((id) => waitingIn(tables, id));
    return () => (tables.broken === 'a body carries the newest movement of a package' ? oldest.reverse() : oldest);
  };

/** freeze.ts: makes bodies what their lanes carry, where the lease still holds and no other body is carried. */
export const freezeBodies =
  (tables: Tables, bodies: readonly NewDelivery[]): Work<Set<string>> =>
  async (statement) => {
    const owned =
      tables.broken === 'a body is frozen without looking whose lease it is'
        ? unchecked(tables, bodies)
        : (await lockOwned(tables, statement, bodies)).filter(([lane]) => lane.webhookId === null);
    return () => {
      for (const [lane, { webhookId, notificationIds: members, body: bytes, claimId }] of owned) {
        tables.witness.wrote(lane.id, claimId);
        lane.webhookId = webhookId;
        tables.bodies.set(webhookId, { members, bytes });
      }
      return new Set(owned.map(([, { webhookId }]) => webhookId));
    };
  };

/** lanes.ts: gives lanes back of which nothing was sent. */
export const releaseLanes =
  (tables: Tables, leases: readonly { laneId: number; claimId: string }[], state: 'idle' | 'ready'): Work<void> =>
  async (statement) => {
    const owned = await lockOwned(tables, statement, leases);
    return () => {
      for (const [lane, { claimId }] of owned) {
        tables.witness.wrote(lane.id, claimId);
        tables.witness.released(lane.id);
        Object.assign(lane, { state, claimId: null, dueAt: tables.now() });
      }
    };
  };
