import { conflict, invalidField } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import type { PackageStatuses } from '../db/tables/database.js';

/** An entry of the catalogue of package statuses (contracts/guides/statuses.md). */
export type CatalogueStatus = PackageStatuses;

/** Codes of packages that are under way but no longer to their recipient: returning, and lost. No stage tells so. */
export const OFF_THE_WAY: ReadonlySet<number> = new Set([7, 9]);

/** The description of the status after a final status was taken back. */
export const REOPENED = 'Reaberto: o status final registrado antes foi um engano.';

/** Codes of a delivery without problems, in order. */
export const usualWay: readonly number[] = [1, 14, 3, 17, 11, 5];

export function listStatuses(db: Db): Promise<CatalogueStatus[]> {
  return db.selectFrom('package_statuses').selectAll().orderBy('code').execute();
}

export function getStatus(db: Db, code: number): Promise<CatalogueStatus | undefined> {
  return db.selectFrom('package_statuses').selectAll().where('code', '=', code).executeTakeFirst();
}

/** A new code. `final` follows from `stage`: a package ends in the stages completed and cancelled only. */
export type NewStatus = Omit<CatalogueStatus, 'final' | 'public_title'> &
  Partial<Pick<CatalogueStatus, 'public_title'>> & { final?: boolean | undefined };

/** Adds a code. Throws CONFLICT if it is taken, VALIDATION_ERROR if `final` and `stage` contradict each other. */
export async function addStatus(db: Db, status: NewStatus): Promise<CatalogueStatus> {
  const ends = status.stage === 'completed' || status.stage === 'cancelled';
  if (status.final === !ends) {
    const message = ends ? 'must be true for this stage' : 'must be false unless the stage is completed or cancelled';
    throw invalidField('final', 'contradiction', message);
  }
  const details = [{ field: 'code', code: 'taken', message: 'is taken' }] as const;
  return db
    .insertInto('package_statuses')
    .values(row<'package_statuses'>({ public_title: null, ...status, final: ends }))
    .onConflict((other) => other.column('code').doNothing())
    .returningAll()
    .executeTakeFirstOrThrow(() => conflict('status_code_taken', 'The catalogue has this code already.', { details }));
}
