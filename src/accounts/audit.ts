import { type Selectable, sql } from 'kysely';
import type { NewAuditEntry } from '../base/actor.js';
import { isId, newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { row, type SqlTypes } from '../db/row.js';
import type { AuditLog } from '../db/tables/accounts.js';

// One log holds the actions of operators and of accounts. Only the router and the GraphQL schema write it. Handlers and
// resolvers do not.

export type AuditEntry = Selectable<AuditLog>;

export const auditColumns = {
  id: 'uuid',
  account_id: 'uuid',
  by_operator: 'boolean',
  actor_id: 'uuid',
  key_id: 'uuid',
  operation: 'text',
  targets: 'jsonb',
  location: 'text',
  fields: 'text[]',
  status: 'smallint',
  request_id: 'text',
} as const satisfies SqlTypes<'audit_log'>;

export const auditRow = (entry: NewAuditEntry) => ({
  id: newId(),
  account_id: entry.accountId ?? null,
  by_operator: !entry.isOwn,
  actor_id: entry.actorId ?? null,
  key_id: entry.keyId ?? null,
  operation: entry.operation,
  targets: entry.targets,
  location: entry.location ?? null,
  fields: entry.fields,
  status: entry.status ?? null,
  request_id: entry.requestId ?? null,
});

/** Writes an entry in the transaction of the action, so that either both are stored or neither. */
export async function recordAudit(db: Db, entry: NewAuditEntry): Promise<void> {
  const { targets, ...others } = auditRow(entry);
  const values = row<'audit_log'>({ ...others, targets: JSON.stringify(targets) });
  await db.insertInto('audit_log').values(values).execute();
}

/** The table and the key of records that belong to an account, by the part of the path before the id. */
const holders: Readonly<Record<string, readonly [tables: string, key: string]>> = {
  members: ['members', 'id'],
  'api-keys': ['api_keys', 'id'],
  products: ['products', 'id'],
  orders: ['orders', 'id'],
  packages: ['packages', 'loggi_key'],
  collections: ['collections', 'id'],
  'webhook-endpoints': ['webhook_endpoints', 'id'],
  deliveries: ['webhook_deliveries join webhook_endpoints endpoint on endpoint.id = endpoint_id', 'webhook_id'],
  tasks: ['package_answers', 'id'],
};

/** Finds the account of the record at a path, for example `/operator/v1/webhook-endpoints/{id}/test`. */
export async function accountOfRecord(
  db: Db,
  path: string,
  ids: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [, name = '', parameter = ''] = /\/([\w-]+)\/\{(\w+)\}/.exec(path) ?? [];
  const id = ids[parameter] ?? '';
  if (name === 'users') return id;
  const holder = holders[name];
  if (!holder || !isId(id)) return ids['user_id'];
  const [tables, key] = holder.map((text) => sql.raw(text));
  const { rows } = await sql<{ account_id: string }>`
    select account_id from ${tables} where ${key} = ${id}`.execute(db);
  return rows[0]?.account_id;
}

export interface AuditFilters {
  /** Selects the log of this account. Without it, the entries of operators. */
  accountId?: string | undefined;
  actorId?: string | undefined;
  keyId?: string | undefined;
  operation?: string | undefined;
  /** Entries from `from` on and before `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
}

export function auditEntries(db: Db, { accountId, actorId, keyId, operation, from, to }: AuditFilters) {
  let entries = db.selectFrom('audit_log');
  entries =
    accountId === undefined ? entries.where('by_operator', '=', true) : entries.where('account_id', '=', accountId);
  if (actorId !== undefined) entries = entries.where('actor_id', '=', actorId);
  if (keyId !== undefined) entries = entries.where('key_id', '=', keyId);
  if (operation !== undefined) entries = entries.where('operation', '=', operation);
  if (from !== undefined) entries = entries.where('created_at', '>=', from);
  if (to !== undefined) entries = entries.where('created_at', '<', to);
  return entries;
}

export function listAudit(db: Db, filters: AuditFilters, page: Page): Promise<Listed<AuditEntry>> {
  const entries = auditEntries(db, filters).selectAll();
  return readPage(db, entries.orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}
