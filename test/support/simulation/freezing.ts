import type { NewBody, Waiting } from '../../../src/deliveries/freeze.js';
import type { Work } from './database.js';
import { type Lane, laneOf, own, type Tables, waitingIn } from './tables.js';

/** freeze.ts: what waits in the lanes, oldest first. */
export const oldestWaiting =
  (tables: Tables, laneIds: readonly number[]): Work<Waiting[]> =>
  () => {
    const found = laneIds.flatMap((id) => waitingIn(tables, id));
    return () => (tables.broken === 'a body tells of the newest movement of a package' ? found.reverse() : found);
  };

/** freeze.ts: makes bodies what their lanes carry, where the lease still holds and no other body is carried. */
export const freezeBodies =
  (tables: Tables, bodies: readonly NewBody[]): Work<Set<string>> =>
  async (statement) => {
    const unchecked = tables.broken === 'a body is frozen without looking whose lease it is';
    const owned: [Lane, NewBody][] = [];
    for (const body of bodies) {
      const lane = unchecked ? laneOf(tables, body.laneId) : await own(tables, statement, body);
      if (lane && (unchecked || lane.webhookId === null)) owned.push([lane, body]);
    }
    return () => {
      for (const [lane, { webhookId, members, body: bytes, claimId }] of owned) {
        tables.witness.wrote(lane.id, claimId);
        lane.webhookId = webhookId;
        tables.bodies.set(webhookId, { members, bytes });
      }
      return new Set(owned.map(([, { webhookId }]) => webhookId));
    };
  };

/** release.ts: gives lanes back of which nothing was sent. */
export const releaseLanes =
  (tables: Tables, leases: readonly { laneId: number; claimId: string }[], state: 'idle' | 'ready'): Work<void> =>
  async (statement) => {
    const owned: [Lane, string][] = [];
    for (const lease of leases) {
      const lane = await own(tables, statement, lease);
      if (lane) owned.push([lane, lease.claimId]);
    }
    return () => {
      for (const [lane, claimId] of owned) {
        tables.witness.wrote(lane.id, claimId);
        tables.witness.released(lane.id);
        Object.assign(lane, { state, claimId: null, dueAt: tables.now() });
      }
    };
  };
