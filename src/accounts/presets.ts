import { sql } from 'kysely';
import { preconditionFailed } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import type { SavedBox, SavedPickup } from '../db/tables/accounts.js';
import { transaction } from '../db/transaction.js';
import { lockAccount } from './account.js';

// Keeps pickups and boxes under names, so that people need not type them for every order.

export interface Presets {
  pickups: readonly SavedPickup[];
  boxes: readonly SavedBox[];
  version: number;
}

/** The presets of an account that has never saved any. */
const noPresets: Presets = { pickups: [], boxes: [], version: 0 };

export async function getPresets(db: Db, accountId: string): Promise<Presets> {
  const query = db.selectFrom('presets').select(['pickups', 'boxes', 'version']);
  return (await query.where('account_id', '=', accountId).executeTakeFirst()) ?? noPresets;
}

/** Replaces both lists. Throws `PRECONDITION_FAILED` if the present version is not one of `ifMatch`. */
export function setPresets(
  db: Db,
  accountId: string,
  { pickups, boxes }: Omit<Presets, 'version'>,
  ifMatch: readonly number[] | undefined,
): Promise<Presets> {
  return transaction(db, async (trx) => {
    // The second of two changes at once waits, and then sees the version of the first.
    await lockAccount(trx, accountId);
    const { version } = await getPresets(trx, accountId);
    if (ifMatch && !ifMatch.includes(version)) throw preconditionFailed();
    const lists = { pickups: JSON.stringify(pickups), boxes: JSON.stringify(boxes) };
    return trx
      .insertInto('presets')
      .values(row<'presets'>({ account_id: accountId, ...lists, version: 1 }))
      .onConflict((kept) => kept.column('account_id').doUpdateSet({ ...lists, version: sql`presets.version + 1` }))
      .returning(['pickups', 'boxes', 'version'])
      .executeTakeFirstOrThrow();
  });
}
