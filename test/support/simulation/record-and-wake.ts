import type { AttemptResult, Recorded } from '../../../src/deliveries/record.js';
import type { Work } from './database.js';
import { type Lane, laneOf, own, type Tables, waitingIn } from './tables.js';

/** record.ts: settles what the caller still holds, all in one statement. */
export const recordResults =
  (tables: Tables, results: readonly AttemptResult[]): Work<Recorded[]> =>
  async (statement) => {
    // What waits is read as of the statement's begin: what is committed meanwhile does not keep a lane awake.
    const before = new Map(results.map(({ laneId }) => [laneId, waitingIn(tables, laneId).map(({ id }) => id)]));
    const unchecked = tables.broken === 'a result is recorded without looking whose lease it is';
    const owned = new Map<AttemptResult, Lane>();
    for (const result of results) {
      const lane = unchecked ? laneOf(tables, result.laneId) : await own(tables, statement, result);
      if (lane) owned.set(result, lane);
    }
    return () =>
      results.map((result) => {
        const lane = owned.get(result);
        return lane ? settle(tables, lane, result, before.get(lane.id) ?? []) : { kind: 'lease-lost' };
      });
  };

function settle(tables: Tables, lane: Lane, result: AttemptResult, seen: readonly string[]): Recorded {
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
  const more = seen.some((id) => !members.includes(id));
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
  const found = tables.waiting.filter(({ id }) => members.includes(id));
  remove(tables, members);
  for (const each of found) {
    tables.ids += 1;
    tables.waiting.push({ ...each, id: String(tables.ids) });
  }
}
