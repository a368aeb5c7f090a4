import type { CatalogueStatus } from './catalogue.js';
import type { Instant } from './instant.js';
import type { NewMovement, RefusedMovement } from './movement.js';
import type { Known, MovementContent, PackageState } from './movement-state.js';

export type Refusal = Omit<RefusedMovement, 'id' | 'result'>;

export interface Reported {
  item: NewMovement;
  content: MovementContent;
  happenedAt: Instant;
  state: PackageState;
  known: Pick<Known, 'statuses' | 'latest'>;
}

/** Why a movement of a new id cannot be recorded for this package; undefined when it can. */
export function refusalOf({ item, content, happenedAt, state, known }: Reported): Refusal | undefined {
  const status = known.statuses.get(content.statusCode);
  if (!status) return { code: 'NOT_FOUND', message: 'The catalogue has no such status.', field: 'statusCode' };
  const { reportedAt } = content;
  return (
    wrongTime(reportedAt, state, known.latest) ??
    wrongContent(item, status) ??
    afterTheEnd(happenedAt, status, state, known.statuses)
  );
}

/** Status 1 is set when the order is created. */
const ADDED = 1;

function wrongTime(reportedAt: Instant, { earliest }: PackageState, latest: Instant): Refusal | undefined {
  if (reportedAt > latest) return invalidField('happenedAt', 'lies more than 5 minutes in the future');
  return reportedAt < earliest ? invalidField('happenedAt', 'lies more than 5 minutes before the order') : undefined;
}

function wrongContent(item: NewMovement, status: CatalogueStatus): Refusal | undefined {
  if (status.code === ADDED) return invalidField('statusCode', 'is set only when the package is created');
  return (
    misplaced('actionRequired', item.actionRequired, status.requirement === 'action_required') ??
    misplaced('pickupAgency', item.pickupAgency, status.requirement === 'pickup_agency')
  );
}

function misplaced(field: string, value: object | undefined, needed: boolean): Refusal | undefined {
  if (needed && !value) return invalidField(field, 'is required by this status');
  return value && !needed ? invalidField(field, 'is not allowed with this status') : undefined;
}

/**
 * Of two final statuses the one that was recorded first stays. What happened in the very microsecond of the final status
 * counts as later: nothing takes its place any more.
 */
function afterTheEnd(
  happenedAt: Instant,
  status: CatalogueStatus,
  { statusCode, since }: PackageState,
  statuses: Known['statuses'],
): Refusal | undefined {
  const current = statuses.get(statusCode);
  if (!current?.final || (happenedAt < since && !status.final)) return undefined;
  return conflicting(`The package has reached its final status ${current.code} (${current.name}).`, 'statusCode');
}

export function invalidField(field: string, message: string): Refusal {
  return { code: 'VALIDATION_ERROR', message, field };
}

function conflicting(message: string, field: string): Refusal {
  return { code: 'CONFLICT', message, field };
}

export const unknownPackage: Refusal = { code: 'NOT_FOUND', message: 'There is no such package.', field: 'loggiKey' };
export const collision: Refusal = conflicting('This id belongs to another movement.', 'id');
