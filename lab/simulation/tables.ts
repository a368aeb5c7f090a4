import type { WaitingNotification } from '../../src/outbox/freeze.js';
import type { Row, Statement } from './database.js';
import type { Breakage } from './simulate.js';
import type { Witness } from './witness.js';

export interface Lane extends Row {
  id: number;
  state: 'idle' | 'ready' | 'leased' | 'waiting' | 'stopped';
  dueAt: number;
  claimId: string | null;
  webhookId: string | null;
  attempt: number;
  /** It waits in its account's share of the slow places. */
  slow: boolean;
}

interface Body {
  members: readonly string[];
  bytes: Buffer;
}

export interface Package extends Row {
  key: string;
  laneId: number;
  seq: number;
}

/** The tables of the domain `outbox/` in memory, for one endpoint. */
export type Tables = ReturnType<typeof createTables>;

interface TablesOptions {
  now(): number;
  witness: Witness;
  broken: Breakage | undefined;
  lanes: number;
  packagesOfLane: number;
}

export function createTables({ lanes: count, packagesOfLane, ...options }: TablesOptions) {
  const lanes = Array.from({ length: count }, (_, id) => newLane(id));
  const packages = lanes.flatMap(({ id }) =>
    Array.from({ length: packagesOfLane }, (_, number) => newPackage(`${id}.${number}`, id)),
  );
  // In the order of their ids. `disabled` is the endpoint; the last two are sequences.
  const waiting: WaitingNotification[] = [];
  return { ...options, lanes, packages, waiting, bodies: new Map<string, Body>(), disabled: false, ids: 0, claims: 0 };
}

const unlocked = () => ({ locked: false, waiting: [] });

function newLane(id: number): Lane {
  return { id, state: 'idle', dueAt: 0, claimId: null, webhookId: null, attempt: 0, slow: true, ...unlocked() };
}

const newPackage = (key: string, laneId: number): Package => ({ key, laneId, seq: 0, ...unlocked() });

export function laneOf({ lanes }: Tables, id: number): Lane {
  const lane = lanes[id];
  if (!lane) throw new Error(`there is no lane ${id}`);
  return lane;
}

export const waitingIn = ({ waiting }: Tables, laneId: number): WaitingNotification[] =>
  waiting.filter((each) => each.laneId === laneId);

/** Locks the lanes whose leases are still the caller's, as FOR UPDATE looks again once it has a row. */
export async function lockOwned<T extends { laneId: number; claimId: string }>(
  tables: Tables,
  { lock }: Statement,
  leases: readonly T[],
): Promise<[Lane, T][]> {
  const owned: [Lane, T][] = [];
  for (const lease of leases) {
    const lane = laneOf(tables, lease.laneId);
    const isOwn = () => lane.claimId === lease.claimId;
    if (isOwn()) await lock(lane);
    if (isOwn()) owned.push([lane, lease]);
  }
  return owned;
}

/** Pairs each lease with its lane, as a worker does that looks at no lease. */
export const unchecked = <T extends { laneId: number }>(tables: Tables, leases: readonly T[]): [Lane, T][] =>
  leases.map((lease) => [laneOf(tables, lease.laneId), lease]);
