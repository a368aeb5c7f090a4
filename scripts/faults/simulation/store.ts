import type { Claim, ClaimLimits } from '../../../src/deliveries/claim.js';
import type { NewBody, Waiting } from '../../../src/deliveries/freeze.js';
import type { AttemptResult, Recorded } from '../../../src/deliveries/record.js';
import type { Breakage } from './breakage.js';
import type { FakeDatabase, Row, Statement, Work } from './database.js';
import type { Witness } from './witness.js';

/** The tables of the domain `deliveries/` in memory, and its statements, each as its SQL says. */
export interface Lane extends Row {
  id: number;
  state: 'idle' | 'ready' | 'leased' | 'waiting' | 'stopped';
  dueAt: number;
  claimId: string | null;
  webhookId: string | null;
  attempt: number;
}

export interface Body {
  webhookId: string;
  laneId: number;
  members: readonly string[];
  bytes: Buffer;
}

export interface Package extends Row {
  key: string;
  laneId: number;
  seq: number;
}

export interface Store {
  lanes: readonly Lane[];
  packages: readonly Package[];
  bodies: ReadonlyMap<string, Body>;
  pending(): number;
  /** claim.ts */
  claim(limits: ClaimLimits): Work<Claim[]>;
  /** freeze.ts */
  oldestWaiting(laneIds: readonly number[]): Work<Waiting[]>;
  freeze(bodies: readonly NewBody[]): Work<Set<string>>;
  /** release.ts */
  release(leases: readonly { laneId: number; claimId: string }[], state: 'idle' | 'ready'): Work<void>;
  /** record.ts */
  record(results: readonly AttemptResult[]): Work<Recorded[]>;
  /** enqueue.ts, inside the movement's transaction */
  enqueue(moved: Package): Work<void>;
  /** sweep.ts */
  sweep(): Work<void>;
  /** endpoint-state.ts */
  enable(): Work<void>;
}

export interface StoreOptions {
  database: FakeDatabase;
  witness: Witness;
  lanes: number;
  packagesOfLane: number;
  broken: Breakage | undefined;
}

export function createStore({ database, witness, broken, ...size }: StoreOptions): Store {
  const { now } = database;
  const lanes = Array.from({ length: size.lanes }, (_, id) => newLane(id));
  const packages = lanes.flatMap(({ id }) =>
    Array.from({ length: size.packagesOfLane }, (_, number) => newPackage(`${id}.${number}`, id)),
  );
  const waiting: Waiting[] = [];
  const bodies = new Map<string, Body>();
  let disabled = false;
  let ids = 0;
  let claims = 0;

  const laneOf = (id: number): Lane => lanes[id] ?? newLane(id);
  const inLane = (laneId: number) => waiting.filter((each) => each.laneId === laneId);
  const active = ['ready', 'leased', 'waiting'];
  const isDue = ({ state, dueAt }: Lane) =>
    active.includes(state) &&
    (dueAt <= now() ||
      (state === 'leased' && broken === 'a lane that is leased is claimed again before its lease ends'));

  const claim: Store['claim'] =
    ({ fresh, again, leaseMs }) =>
    ({ tryLock }) => {
      const due = lanes.filter(isDue).sort((one, other) => one.dueAt - other.dueAt);
      const chosen = [
        ...due.filter(({ attempt }) => attempt === 0).slice(0, fresh),
        ...due.filter(({ attempt }) => attempt > 0).slice(0, again),
      ].filter(tryLock);
      return () => (disabled ? chosen.flatMap(stop) : chosen.map((lane) => lease(lane, leaseMs)));
    };

  const stop = (lane: Lane): Claim[] => {
    Object.assign(lane, { state: 'stopped', claimId: null });
    witness.released(lane.id);
    return [];
  };

  const lease = (lane: Lane, leaseMs: number): Claim => {
    claims += 1;
    const claimId = `claim ${claims}`;
    const takenOver = lane.state === 'leased';
    const lateMs = now() - lane.dueAt;
    Object.assign(lane, { state: 'leased', claimId, dueAt: now() + leaseMs });
    witness.leased(lane.id, claimId);
    const body = lane.webhookId === null ? undefined : bodies.get(lane.webhookId);
    const refrozen = broken === 'a body is frozen anew at each attempt';
    if (refrozen) lane.webhookId = null;
    const frozen = body &&
      !refrozen && { webhookId: body.webhookId, body: body.bytes, kind: 'tracking' as const, attemptsBefore: 0 };
    return {
      laneId: lane.id,
      claimId,
      isRequestLane: false,
      endpoint,
      attempts: lane.attempt,
      frozen: frozen || undefined,
      claimedAt: new Date(now()),
      lateMs,
      takenOver,
    };
  };

  /** Locks the lane if the lease is still the caller's, as FOR UPDATE looks again once it has the row. */
  const own = async (statement: Statement, laneId: number, claimId: string): Promise<Lane | undefined> => {
    const lane = laneOf(laneId);
    if (lane.claimId !== claimId) return undefined;
    await statement.lock(lane);
    return lane.claimId === claimId ? lane : undefined;
  };

  const freeze: Store['freeze'] = (news) => async (statement) => {
    const owned: [Lane, NewBody][] = [];
    for (const body of news) {
      const unchecked = broken === 'a body is frozen without looking whose lease it is';
      const lane = unchecked ? laneOf(body.laneId) : await own(statement, body.laneId, body.claimId);
      if (lane && (unchecked || lane.webhookId === null)) owned.push([lane, body]);
    }
    return () => {
      for (const [lane, { webhookId, members, body: bytes, laneId, claimId }] of owned) {
        witness.wrote(laneId, claimId);
        lane.webhookId = webhookId;
        bodies.set(webhookId, { webhookId, laneId, members, bytes });
      }
      return new Set(owned.map(([, { webhookId }]) => webhookId));
    };
  };

  const release: Store['release'] = (leases, state) => async (statement) => {
    const owned: [Lane, string][] = [];
    for (const { laneId, claimId } of leases) {
      const lane = await own(statement, laneId, claimId);
      if (lane) owned.push([lane, claimId]);
    }
    return () => {
      for (const [lane, claimId] of owned) {
        witness.wrote(lane.id, claimId);
        witness.released(lane.id);
        Object.assign(lane, { state, claimId: null, dueAt: now() });
      }
    };
  };

  const record: Store['record'] = (results) => async (statement) => {
    // What waits is read as of the statement's begin, so that what is committed meanwhile wakes nobody.
    const before = new Map(results.map(({ laneId }) => [laneId, inLane(laneId).map(({ id }) => id)]));
    const owned = new Map<AttemptResult, Lane>();
    for (const result of results) {
      const unchecked = broken === 'a result is recorded without looking whose lease it is';
      const lane = unchecked ? laneOf(result.laneId) : await own(statement, result.laneId, result.claimId);
      if (lane) owned.set(result, lane);
    }
    return () =>
      results.map((result) => {
        const lane = owned.get(result);
        return lane ? settle(lane, result, before.get(lane.id) ?? []) : { kind: 'lease-lost' };
      });
  };

  const settle = (lane: Lane, result: AttemptResult, seen: readonly string[]): Recorded => {
    const { verdict, webhookId, claimId } = result;
    const members = bodies.get(webhookId)?.members ?? [];
    witness.wrote(lane.id, claimId);
    witness.released(lane.id);
    witness.settled({ claimId, webhookId, verdict, attempt: lane.attempt + 1, bytes: bodies.get(webhookId)?.bytes });
    const done = verdict.kind === 'acknowledged' || verdict.kind === 'dead';
    const makesWay = verdict.kind === 'retry' && broken === 'a body that failed makes way for the next one';
    if (makesWay) for (const id of members) putLast(id);
    if (done) remove(members);
    if (verdict.kind === 'gone') disabled = true;
    const more = seen.some((id) => !members.includes(id));
    Object.assign(lane, {
      claimId: null,
      dueAt: now() + (verdict.kind === 'retry' ? verdict.delayMs : 0),
      attempt: verdict.kind === 'retry' ? lane.attempt + 1 : 0,
      webhookId: done || makesWay ? null : lane.webhookId,
      state: verdict.kind === 'retry' ? 'waiting' : verdict.kind === 'gone' ? 'stopped' : more ? 'ready' : 'idle',
    });
    return { kind: 'recorded', lane: lane.state, agesMs: [], endpointDisabled: verdict.kind === 'gone' };
  };

  const remove = (members: readonly string[]): void => {
    for (const id of members) {
      const place = waiting.findIndex((each) => each.id === id);
      if (place >= 0) waiting.splice(place, 1);
    }
  };

  const putLast = (id: string): void => {
    const found = waiting.find((each) => each.id === id);
    ids += 1;
    remove([id]);
    if (found) waiting.push({ ...found, id: String(ids) });
  };

  const enqueue: Store['enqueue'] = (moved) => async (statement) => {
    await statement.lock(moved);
    const off = disabled;
    const lane = laneOf(moved.laneId);
    const seq = moved.seq + 1;
    ids += 1;
    const notification = { laneId: lane.id, id: String(ids), loggiKey: moved.key, seq };
    const wakes = lane.state === 'idle' && statement.tryLock(lane);
    return () => {
      moved.seq = seq;
      if (off) return;
      witness.committed(notification);
      waiting.push(notification);
      waiting.sort((one, other) => Number(one.id) - Number(other.id));
      if (wakes) Object.assign(lane, { state: 'ready', dueAt: now() });
    };
  };

  const sweep: Store['sweep'] = () => (statement) => {
    const forgotten = lanes.filter(
      ({ id, state }) => (state === 'idle' && inLane(id).length > 0) || (state === 'stopped' && !disabled),
    );
    const woken = broken === 'idle lanes are not swept' ? [] : forgotten.filter(statement.tryLock);
    return () => {
      for (const lane of woken) Object.assign(lane, { state: 'ready', dueAt: now() });
    };
  };

  const enable: Store['enable'] = () => async (statement) => {
    for (const lane of lanes) await statement.lock(lane);
    return () => {
      if (!disabled) return;
      disabled = false;
      for (const lane of lanes.filter(({ state }) => state === 'stopped' || state === 'waiting')) {
        Object.assign(lane, { state: 'ready', dueAt: now(), attempt: 0 });
        if (lane.webhookId) witness.startedAnew(lane.webhookId);
      }
    };
  };

  const newest = broken === 'a body tells of the newest movement of a package';
  const oldestWaiting: Store['oldestWaiting'] = (laneIds) => () => {
    const found = laneIds.flatMap(inLane);
    return () => (newest ? found.reverse() : found);
  };

  return {
    lanes,
    packages,
    bodies,
    pending: () => waiting.length,
    claim,
    oldestWaiting,
    freeze,
    release,
    record,
    enqueue,
    sweep,
    enable,
  };
}

const nothing = Buffer.alloc(0);
const endpoint = {
  id: 'endpoint',
  url: '',
  username: '',
  password_sealed: nothing,
  secret_sealed: nothing,
  previous_secret_sealed: null,
};

const newLane = (id: number): Lane => ({
  id,
  state: 'idle',
  dueAt: 0,
  claimId: null,
  webhookId: null,
  attempt: 0,
  locked: false,
  waiting: [],
});
const newPackage = (key: string, laneId: number): Package => ({ key, laneId, seq: 0, locked: false, waiting: [] });
