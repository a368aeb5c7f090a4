import type { AttemptResult, Recorded } from '../../src/outbox/record.js';
import type { Work } from './database.js';
import { type Lane, laneOf, lockOwned, type Package, type Tables, unchecked, waitingIn } from './tables.js';

/** record.ts: settles what the caller still holds, all in one statement. */
export const recordResults =
  (tables: Tables, results: readonly AttemptResult[]): Work<Recorded[]> =>
  async (statement) => {
    // Waiting work is read as of the statement's begin: a later commit does not keep a lane awake.
    const before = new Map(results.map(({ laneId }) => [laneId, waitingIn(tables, laneId).map(({ id }) => id)]));
    const isBroken = tables.broken === 'a result is recorded without looking whose lease it is';
    const owned = isBroken ? unchecked(tables, results) : await lockOwned(tables, statement, results);
    return () =>
      results.map((result) => {
        const [lane] = owned.find(([, each]) => each === result) ?? [];
        return lane ? settle(tables, lane, result, before.get(lane.id) ?? []) : { kind: 'lease-lost' };
      });
  };

function settle(tables: Tables, lane: Lane, result: AttemptResult, waitingBefore: readonly string[]): Recorded {
  const { verdict, webhookId, claimId } = result;
  const { members = [], bytes } = tables.bodies.get(webhookId) ?? {};
  tables.witness.wrote(lane.id, claimId);
  tables.witness.released(lane.id);
  tables.witness.settled({ claimId, webhookId, verdict, attempt: lane.attempt + 1, bytes });
  const retry = verdict.kind === 'retry';
  const done = verdict.kind === 'acknowledged' || verdict.kind === 'dead';
  const makesWay = retry && tables.broken === 'a body that failed makes way for the next one';
  if (done) remove(tables, members);
  if (makesWay) putLast(tables, members);
  if (verdict.kind === 'gone') tables.disabled = true;
  const more = waitingBefore.some((id) => !members.includes(id));
  Object.assign(lane, {
    claimId: null,
    dueAt: tables.now() + (retry ? verdict.delayMs : 0),
    attempt: retry ? lane.attempt + 1 : 0,
    slow: result.slowAccountId !== null,
    webhookId: done || makesWay ? null : lane.webhookId,
    state: retry ? 'waiting' : verdict.kind === 'gone' ? 'stopped' : more ? 'ready' : 'idle',
  });
  return { kind: 'recorded', lane: lane.state, agesMs: [], endpointDisabled: verdict.kind === 'gone' };
}

function remove(tables: Tables, members: readonly string[]): void {
  tables.waiting = tables.waiting.filter(({ id }) => !members.includes(id));
}

function putLast(tables: Tables, members: readonly string[]): void {
  const moved = tables.waiting.filter(({ id }) => members.includes(id));
  remove(tables, members);
  for (const each of moved) {
    tables.ids += 1;
    tables.waiting.push({ ...each, id: String(tables.ids) });
  }
}

/** enqueue.ts, in the movement's transaction: under the lock of the package, so that ids grow with `seq`. */
export const enqueue =
  (tables: Tables, moved: Package): Work<void> =>
  async (statement) => {
    await statement.lock(moved);
    const { disabled } = tables;
    const lane = laneOf(tables, moved.laneId);
    tables.ids += 1;
    const id = String(tables.ids);
    const notification = { laneId: lane.id, id, loggiKey: moved.key, seq: moved.seq + 1, traceparent: null };
    const wakes = lane.state === 'idle' && statement.tryLock(lane);
    return () => {
      moved.seq = notification.seq;
      if (disabled) return;
      tables.witness.committed(notification);
      tables.waiting.push(notification);
      tables.waiting.sort((one, other) => Number(one.id) - Number(other.id));
      if (wakes) Object.assign(lane, { state: 'ready', dueAt: tables.now() });
    };
  };

/** lanes.ts: wakes lanes in which something waits and that nobody woke. */
export const sweep =
  (tables: Tables): Work<void> =>
  ({ tryLock }) => {
    const isForgotten = ({ id, state }: Lane) =>
      state === 'idle' ? waitingIn(tables, id).length > 0 : state === 'stopped' && !tables.disabled;
    const forgotten = tables.lanes.filter(isForgotten);
    const woken = tables.broken === 'idle lanes are not swept' ? [] : forgotten.filter(tryLock);
    return () => {
      for (const lane of woken) Object.assign(lane, { state: 'ready', dueAt: tables.now() });
    };
  };

/** endpoints.ts: the operator enables the endpoint, and what waits is tried on a fresh schedule. */
export const enable =
  (tables: Tables): Work<void> =>
  async ({ lock }) => {
    for (const lane of tables.lanes) await lock(lane);
    return () => {
      if (!tables.disabled) return;
      tables.disabled = false;
      for (const lane of tables.lanes.filter(({ state }) => state === 'stopped' || state === 'waiting')) {
        Object.assign(lane, { state: 'ready', dueAt: tables.now(), attempt: 0 });
        if (lane.webhookId) tables.witness.startedAnew(lane.webhookId);
      }
    };
  };
