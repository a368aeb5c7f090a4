import { conflict, invalid } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { OrderStatus, Requirement } from '../db/tables/database.js';

/** An entry of the catalogue of package statuses (contracts/guides/statuses.md). */
export interface CatalogueStatus {
  code: number;
  name: string;
  description: string;
  /** What a movement to this status must carry; no other movement may carry it. */
  requirement: Requirement | null;
  /** Whether the package's way ends with it. */
  final: boolean;
  /** What the status means for the order. */
  stage: OrderStatus;
}

const columns = ['code', 'name', 'description', 'requirement', 'final', 'stage'] as const;

/** The whole catalogue, by code. */
export function listStatuses(db: Db): Promise<CatalogueStatus[]> {
  return db.selectFrom('package_statuses').select(columns).orderBy('code').execute();
}

export function getStatus(db: Db, code: number): Promise<CatalogueStatus | undefined> {
  return db.selectFrom('package_statuses').select(columns).where('code', '=', code).executeTakeFirst();
}

/** `final` follows from `stage`: a way ends completed or cancelled, and only there. */
export type NewStatus = Omit<CatalogueStatus, 'final'> & { final?: boolean | undefined };

/**
 * Adds a code, for movements to use at once. Throws CONFLICT when the code is there already, VALIDATION_ERROR when
 * `final` and `stage` contradict each other.
 */
export async function addStatus(db: Db, status: NewStatus): Promise<CatalogueStatus> {
  const ends = status.stage === 'completed' || status.stage === 'cancelled';
  if (status.final === !ends) {
    const message = ends ? 'must be true for this stage' : 'must be false unless the stage is completed or cancelled';
    throw invalid([{ field: 'final', message }]);
  }
  const row = await db
    .insertInto('package_statuses')
    .values({ ...status, final: ends })
    .onConflict((other) => other.column('code').doNothing())
    .returning(columns)
    .executeTakeFirst();
  if (!row) throw conflict('The catalogue has this code already.', [{ field: 'code', message: 'is taken' }]);
  return row;
}
