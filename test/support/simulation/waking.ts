import type { Work } from './database.js';
import { laneOf, type Package, type Tables, waitingIn } from './tables.js';

/** enqueue.ts, in the movement's transaction: under the lock of the package, so that ids grow with `seq`. */
export const enqueue =
  (tables: Tables, moved: Package): Work<void> =>
  async (statement) => {
    await statement.lock(moved);
    const { disabled } = tables;
    const lane = laneOf(tables, moved.laneId);
    tables.ids += 1;
    const notification = { laneId: lane.id, id: String(tables.ids), loggiKey: moved.key, seq: moved.seq + 1 };
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

/** sweep.ts: wakes lanes in which something waits and that nobody woke. */
export const sweep =
  (tables: Tables): Work<void> =>
  ({ tryLock }) => {
    const forgotten = tables.lanes.filter(
      ({ id, state }) =>
        (state === 'idle' && waitingIn(tables, id).length > 0) || (state === 'stopped' && !tables.disabled),
    );
    const woken = tables.broken === 'idle lanes are not swept' ? [] : forgotten.filter(tryLock);
    return () => {
      for (const lane of woken) Object.assign(lane, { state: 'ready', dueAt: tables.now() });
    };
  };

/** endpoint-state.ts: the operator enables the endpoint, and what waits is tried on a fresh schedule. */
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
