import { isErased } from '../base/erased.js';
import { isId } from '../base/ids.js';
import type { CatalogueStatus } from './catalogue.js';
import { attemptsAfter, misplacedAttempt } from './check-attempts.js';
import { type Instant, instantOf } from './instant.js';
import {
  type AcceptedMovement,
  DELIVERED,
  FIRST_STATUS,
  factsRow,
  type MovementContent,
  type MovementOutcome,
  type NewMovement,
  type PackageState,
  type Refusal,
  refusedField,
  unknownPackage,
} from './movement.js';
import { type Pin, pinRefusal } from './proof/pins.js';
import { proofText } from './proof/proofs.js';

/** The facts for a batch. Keys and ids are in lower case. */
export interface BatchContext {
  statuses: ReadonlyMap<number, CatalogueStatus>;
  packages: ReadonlyMap<string, PackageState>;
  recorded: ReadonlyMap<string, MovementContent>;
  pins: ReadonlyMap<string, Pin>;
  now: Instant;
  /** The latest time that is not refused as a time in the future. */
  latest: Instant;
}

export interface BatchDecision {
  outcomes: MovementOutcome[];
  accepted: AcceptedMovement[];
  packages: PackageState[];
  /** PINs that couriers told, right or wrong, in their state after the batch. */
  pins: Pin[];
  /** Orders with a package whose current status changed. */
  orderIds: string[];
}

interface Progress {
  context: BatchContext;
  recorded: Map<string, MovementContent>;
  packages: Map<string, PackageState>;
  pins: Map<string, Pin>;
  accepted: AcceptedMovement[];
}

/**
 * Decides a batch, item by item (contracts/guides/behaviour.md#orders-packages-states). Movements may arrive late and
 * in any order. One from before the current status only joins the history, but a final status always ends the package.
 * Model: Movements!Decide (lab/models)
 */
export function decideMovements(items: readonly NewMovement[], context: BatchContext): BatchDecision {
  const [recorded, pins] = [new Map(context.recorded), new Map(context.pins)];
  const progress: Progress = { context, recorded, packages: new Map(), pins, accepted: [] };
  const outcomes = items.map((item) => decide(item, progress));
  const packages = [...progress.packages.values()];
  const changedPackages = packages.filter(
    ({ loggiKey, currentMovementId }) => context.packages.get(loggiKey)?.currentMovementId !== currentMovementId,
  );
  const orderIds = [...new Set(changedPackages.map(({ orderId }) => orderId))];
  const changedPins = [...pins].flatMap(([key, pin]) => (pin === context.pins.get(key) ? [] : pin));
  return { outcomes, accepted: progress.accepted, packages, pins: changedPins, orderIds };
}

function decide(item: NewMovement, progress: Progress): MovementOutcome {
  const id = item.id.toLowerCase();
  const reportedAt = instantOf(item.happenedAt);
  if (!isId(id)) return refused(item, refusedField('id', 'pattern', 'must be a UUID'));
  if (reportedAt === undefined) return refused(item, refusedField('happenedAt', 'pattern', 'must be a time'));
  const facts = { loggiKey: item.loggiKey.toLowerCase(), statusCode: item.statusCode, reportedAt, ...factsRow(item) };
  const content = { proof: item.handover?.proof ? proofText(item.handover.proof) : null, ...facts };
  const earlier = progress.recorded.get(id);
  if (earlier) return isSame(earlier, content) ? { id: item.id, result: 'duplicate' } : refused(item, idCollision);
  if (item.unnamed) return refused(item, item.unnamed);
  const { context, packages, pins } = progress;
  const state = packages.get(content.loggiKey) ?? context.packages.get(content.loggiKey);
  if (!state) return refused(item, unknownPackage('loggiKey'));
  const happenedAt = countedTime(reportedAt, state, context.now);
  const refusal =
    refusalOf({ content, happenedAt, item, state, context }) ??
    (content.statusCode === DELIVERED ? pinRefusal(pins, content.loggiKey, item.handover?.pin) : undefined);
  if (refusal) return refused(item, refusal);
  accept({ ...facts, id, seq: state.seq + 1, happenedAt, traceparent: item.traceparent }, state, progress);
  progress.recorded.set(id, content);
  return { id: item.id, result: 'recorded' };
}

/**
 * The time that counts for a movement, because clocks differ. It is never before the order. It is never after both the
 * arrival of the report and the current status.
 */
function countedTime(reportedAt: Instant, { createdAt, since }: PackageState, now: Instant): Instant {
  const receivedAt = now > since ? now : since;
  if (reportedAt > receivedAt) return receivedAt;
  return reportedAt < createdAt ? createdAt : reportedAt;
}

function accept(movement: AcceptedMovement, state: PackageState, progress: Progress): void {
  const { context, packages, accepted } = progress;
  const { id, seq, statusCode, happenedAt } = movement;
  const becomesCurrent = happenedAt >= state.since || context.statuses.get(statusCode)?.final;
  const current = becomesCurrent ? { statusCode, since: happenedAt, currentMovementId: id } : {};
  packages.set(state.loggiKey, { ...state, ...current, ...attemptsAfter(state, movement), seq });
  accepted.push(movement);
}

const contentFields = [
  ...(['loggiKey', 'statusCode', 'reportedAt', 'proof', 'moved_city', 'moved_state'] as const),
  ...(['reason_label', 'reason_description'] as const),
  ...(['agency_address', 'agency_city', 'agency_state', 'agency_postal_code'] as const),
  ...(['moved_attempt', 'moved_next_on', 'expected_from', 'expected_to'] as const),
] satisfies (keyof MovementContent)[];

/**
 * Tells whether two reports are the same. An erased field of the earlier one cannot be compared, so it counts as equal.
 */
function isSame(earlier: MovementContent, other: MovementContent): boolean {
  return contentFields.every((field) => earlier[field] === other[field] || isErased(earlier[field]));
}

interface Reported {
  item: NewMovement;
  content: MovementContent;
  happenedAt: Instant;
  state: PackageState;
  context: BatchContext;
}

function refusalOf({ item, content, happenedAt, state, context }: Reported): Refusal | undefined {
  const status = context.statuses.get(content.statusCode);
  if (!status) return { ...unknownPackage('statusCode'), message: 'The catalogue has no such status.' };
  return (
    wrongTime(content.reportedAt, state, context.latest) ??
    wrongContent(item, content.reportedAt, status) ??
    afterTheEnd(happenedAt, status, state, context.statuses)
  );
}

function wrongTime(reportedAt: Instant, { earliest }: PackageState, latest: Instant): Refusal | undefined {
  if (reportedAt > latest) return refusedField('happenedAt', 'too_late', 'lies more than 5 minutes in the future');
  const message = 'lies more than 5 minutes before the order';
  return reportedAt < earliest ? refusedField('happenedAt', 'too_early', message) : undefined;
}

function wrongContent(item: NewMovement, reportedAt: Instant, status: CatalogueStatus): Refusal | undefined {
  if (status.code === FIRST_STATUS)
    return refusedField('statusCode', 'not_allowed', 'is set only when the package is created');
  return (
    misplaced('actionRequired', item.actionRequired, status.requirement === 'action_required') ??
    misplaced('pickupAgency', item.pickupAgency, status.requirement === 'pickup_agency') ??
    misplacedHandover(item, status) ??
    misplacedAttempt(item, reportedAt, status)
  );
}

function misplaced(field: string, value: object | undefined, isNeeded: boolean): Refusal | undefined {
  if (isNeeded && !value) return refusedField(field, 'required', 'is required by this status');
  return value && !isNeeded ? refusedField(field, 'not_allowed', 'is not allowed with this status') : undefined;
}

function misplacedHandover({ handover }: NewMovement, { code }: CatalogueStatus): Refusal | undefined {
  if (!handover || code === DELIVERED) return undefined;
  return refusedField(handover.proof ? 'proof' : 'pin', 'not_allowed', 'is not allowed with this status');
}

/**
 * The refusal of a movement after the end of a package. The first recorded final status stays. A movement with exactly
 * the same time counts as later.
 */
function afterTheEnd(
  happenedAt: Instant,
  status: CatalogueStatus,
  { statusCode, since }: PackageState,
  statuses: BatchContext['statuses'],
): Refusal | undefined {
  const current = statuses.get(statusCode);
  if (!current?.final || (happenedAt < since && !status.final)) return undefined;
  const message = `The package has reached its final status ${current.code} (${current.name}).`;
  return { code: 'CONFLICT', reason: 'package_final', message, field: 'statusCode', fieldCode: 'state' };
}

const idCollision: Refusal = {
  code: 'CONFLICT',
  reason: 'movement_id_taken',
  message: 'This id belongs to another movement.',
  field: 'id',
  fieldCode: 'taken',
};

const refused = ({ id }: NewMovement, refusal: Refusal): MovementOutcome => ({ id, result: 'refused', ...refusal });
