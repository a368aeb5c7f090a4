import { isErased } from '../base/erased.js';
import { isId } from '../base/ids.js';
import { type Instant, instantOf } from './instant.js';
import { factsRow, type MovementOutcome, type NewMovement } from './movement.js';
import type { Known, Moved, MovementContent, PackageState } from './movement-state.js';
import { collision, invalidField, type Refusal, refusalOf, unknownPackage } from './refuse-movement.js';

export interface Decided {
  /** One for each movement of the batch, in its order. */
  outcomes: MovementOutcome[];
  moved: Moved[];
  /** The packages that got movements, as they are after them. */
  packages: PackageState[];
  /** Orders with a package whose current status changed. */
  orderIds: string[];
}

interface Progress {
  known: Known;
  recorded: Map<string, MovementContent>;
  packages: Map<string, PackageState>;
  moved: Moved[];
}

/**
 * Decides a batch in its own order, each movement on top of the ones before it (contracts/guides/behaviour.md#orders-packages-states). Facts come late
 * and in any order: what happened before the current status takes its place in the history and changes nothing else, but a
 * final status ends the package whenever it happened.
 */
export function decideMovements(items: readonly NewMovement[], known: Known): Decided {
  const progress: Progress = { known, recorded: new Map(known.recorded), packages: new Map(), moved: [] };
  const outcomes = items.map((item) => decide(item, progress));
  const packages = [...progress.packages.values()];
  const changed = packages.filter((after) => currentMovement(known, after) !== after.currentMovementId);
  return { outcomes, moved: progress.moved, packages, orderIds: [...new Set(changed.map(({ orderId }) => orderId))] };
}

function currentMovement({ packages }: Known, { loggiKey }: PackageState): string | undefined {
  return packages.get(loggiKey)?.currentMovementId;
}

function decide(item: NewMovement, progress: Progress): MovementOutcome {
  const id = item.id.toLowerCase();
  const reportedAt = instantOf(item.happenedAt);
  if (!isId(id)) return refused(item, invalidField('id', 'must be a UUID'));
  if (reportedAt === undefined) return refused(item, invalidField('happenedAt', 'must be a time'));
  const content = { loggiKey: item.loggiKey.toLowerCase(), statusCode: item.statusCode, reportedAt, ...factsRow(item) };
  const earlier = progress.recorded.get(id);
  if (earlier) return same(earlier, content) ? { id: item.id, result: 'duplicate' } : refused(item, collision);
  const { known, packages } = progress;
  const state = packages.get(content.loggiKey) ?? known.packages.get(content.loggiKey);
  if (!state) return refused(item, unknownPackage);
  const happenedAt = countedTime(reportedAt, state, known.now);
  const refusal = refusalOf({ content, happenedAt, item, state, known });
  if (refusal) return refused(item, refusal);
  record({ ...content, id, seq: state.seq + 1, happenedAt }, state, progress);
  return { id: item.id, result: 'recorded' };
}

/** Clocks differ: nothing happens before the order, or after its report is received and after the current status. */
function countedTime(reportedAt: Instant, { createdAt, since }: PackageState, now: Instant): Instant {
  const received = now > since ? now : since;
  if (reportedAt > received) return received;
  return reportedAt < createdAt ? createdAt : reportedAt;
}

function record(movement: Moved, state: PackageState, { known, recorded, packages, moved }: Progress): void {
  const { id, seq, statusCode, happenedAt } = movement;
  const becomesCurrent = happenedAt >= state.since || known.statuses.get(statusCode)?.final;
  const current = becomesCurrent ? { statusCode, since: happenedAt, currentMovementId: id } : {};
  packages.set(state.loggiKey, { ...state, ...current, seq });
  recorded.set(id, movement);
  moved.push(movement);
}

function refused({ id }: NewMovement, refusal: Refusal): MovementOutcome {
  return { id, result: 'refused', ...refusal };
}

const contentFields = [
  'loggiKey',
  'statusCode',
  'reportedAt',
  'moved_city',
  'moved_state',
  'reason_label',
  'reason_description',
  'agency_address',
  'agency_city',
  'agency_state',
  'agency_postal_code',
] as const satisfies readonly (keyof MovementContent)[];

/** What was erased of an earlier movement cannot be compared any more. */
function same(earlier: MovementContent, other: MovementContent): boolean {
  return contentFields.every((field) => earlier[field] === other[field] || isErased(earlier[field]));
}
