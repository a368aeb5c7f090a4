import type { Selectable } from 'kysely';
import type { NewAuditEntry } from '../base/actor.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { row } from '../db/row.js';
import type { AuditLog } from '../db/tables/accounts.js';

export type AuditEntry = Selectable<AuditLog>;

export interface AuditFilters {
  actorId?: string | undefined;
  keyId?: string | undefined;
  operation?: string | undefined;
  /** Entries of this time or later, and before `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Writes down what an operator did, in the transaction that does it: neither is there without the other. */
export async function recordAudit(db: Db, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values(
      row<'audit_log'>({
        id: newId(),
        actor_id: entry.actorId ?? null,
        key_id: entry.keyId ?? null,
        operation: entry.operation,
        targets: JSON.stringify(entry.targets),
        location: entry.location ?? null,
        fields: entry.fields,
        status: entry.status ?? null,
        request_id: entry.requestId ?? null,
      }),
    )
    .execute();
}

export function listAudit(db: Db, filters: AuditFilters, page: Page): Promise<Listed<AuditEntry>> {
  const { actorId, keyId, operation, from, to } = filters;
  let matching = db.selectFrom('audit_log');
  if (actorId !== undefined) matching = matching.where('actor_id', '=', actorId);
  if (keyId !== undefined) matching = matching.where('key_id', '=', keyId);
  if (operation !== undefined) matching = matching.where('operation', '=', operation);
  if (from !== undefined) matching = matching.where('created_at', '>=', from);
  if (to !== undefined) matching = matching.where('created_at', '<', to);
  return readPage(db, matching.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}
