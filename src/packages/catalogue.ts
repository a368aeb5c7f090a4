import { conflict, invalidField } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { OrderStatus, Requirement } from '../db/tables/database.js';

/** An entry of the catalogue of package statuses (contracts/guides/statuses.md). */
export interface CatalogueStatus {
  code: number;
  name: string;
  description: string;
  /** A movement to this status must carry it; no other movement may. */
  requirement: Requirement | null;
  final: boolean;
  stage: OrderStatus;
}

/** Codes in which a package under way goes no further to its recipient: going back, and lost. No stage says so. */
export const OFF_THE_WAY: ReadonlySet<number> = new Set([7, 9]);

const columns = ['code', 'name', 'description', 'requirement', 'final', 'stage'] as const;

export function listStatuses(db: Db): Promise<CatalogueStatus[]> {
  return db.selectFrom('package_statuses').select(columns).orderBy('code').execute();
}

export function getStatus(db: Db, code: number): Promise<CatalogueStatus | undefined> {
  return db.selectFrom('package_statuses').select(columns).where('code', '=', code).executeTakeFirst();
}

/** `final` follows from `stage`: a way ends completed or cancelled, and only there. */
export type NewStatus = Omit<CatalogueStatus, 'final'> & { final?: boolean | undefined };

/** Adds a code. Throws CONFLICT when it is taken, VALIDATION_ERROR when `final` and `stage` contradict each other. */
export async function addStatus(db: Db, status: NewStatus): Promise<CatalogueStatus> {
  const ends = status.stage === 'completed' || status.stage === 'cancelled';
  if (status.final === !ends) {
    const message = ends ? 'must be true for this stage' : 'must be false unless the stage is completed or cancelled';
    throw invalidField('final', 'contradiction', message);
  }
  const details = [{ field: 'code', code: 'taken', message: 'is taken' }] as const;
  return db
    .insertInto('package_statuses')
    .values({ ...status, final: ends })
    .onConflict((other) => other.column('code').doNothing())
    .returning(columns)
    .executeTakeFirstOrThrow(() => conflict('status_code_taken', 'The catalogue has this code already.', { details }));
}
