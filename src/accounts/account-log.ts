import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { type Cell, csvLine, protectedCell } from '../files/csv.js';
import { type AuditEntry, type AuditFilters, auditEntries } from './audit.js';

// Shows the audit log to the account itself. Entries hold only ids. Names of members and keys come from their own rows,
// so the log never shows an erased name. The account learns that an operator acted, but not which one.

type AuditActor = 'account' | 'member' | 'key' | 'operator';

const conditions: Readonly<Record<AuditActor, RawBuilder<SqlBool>>> = {
  account: sql`not by_operator and key_id is null and actor_id = account_id`,
  member: sql`not by_operator and key_id is null and actor_id <> account_id`,
  key: sql`not by_operator and key_id is not null`,
  operator: sql`by_operator`,
};

export interface AccountLogFilters extends Pick<AuditFilters, 'operation' | 'from' | 'to'> {
  accountId: string;
  actor?: AuditActor | undefined;
  /** Id of a member or a key. The account's own id means its own sign-in. */
  whoId?: string | undefined;
}

interface AccountLogEntry extends AuditEntry {
  memberName: string | null;
  keyName: string | null;
}

function newestFirst(db: Db, { actor, whoId, ...filters }: AccountLogFilters) {
  let entries = auditEntries(db, filters);
  if (actor !== undefined) entries = entries.where(conditions[actor]);
  if (whoId !== undefined)
    entries = entries.where(sql<SqlBool>`not by_operator
      and (key_id = ${whoId} or (key_id is null and actor_id = ${whoId}))`);
  return entries
    .selectAll()
    .select([
      sql<string | null>`(select name from members where members.id = actor_id)`.as('memberName'),
      sql<string | null>`(select name from api_keys where api_keys.id = key_id)`.as('keyName'),
    ])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

export const listAccountLog = (db: Db, filters: AccountLogFilters, page: Page): Promise<Listed<AccountLogEntry>> =>
  readPage(db, newestFirst(db, filters), page);

function actorOfEntry(entry: AccountLogEntry) {
  const { by_operator, key_id: keyId, actor_id: actorId, account_id: accountId, memberName, keyName } = entry;
  if (by_operator) return { kind: 'operator' as const };
  if (keyId !== null) return { kind: 'key' as const, id: keyId, name: keyName ?? undefined };
  if (actorId === accountId) return { kind: 'account' as const, id: accountId ?? undefined };
  return { kind: 'member' as const, id: actorId ?? undefined, name: memberName ?? undefined };
}

/** An entry in the form of the contract. */
export const accountLogBody = (entry: AccountLogEntry) => ({
  id: entry.id,
  created_at: entry.created_at.toISOString(),
  operation: entry.operation,
  actor: { id: undefined, name: undefined, ...actorOfEntry(entry) },
  targets: entry.targets,
  location: entry.location ?? undefined,
  fields: [...entry.fields],
  status: entry.status ?? undefined,
  request_id: entry.request_id ?? undefined,
});

const MAX_ROWS = 10_000;
const PAGE_ROWS = 500;

const headings = ['time', 'operation', 'actor', 'actor_id', 'actor_name', 'targets', 'location', 'fields', 'status'];

function cellsOf(entry: AccountLogEntry): Cell[] {
  const { created_at: time, operation, actor, targets, location, fields, status, request_id } = accountLogBody(entry);
  const who = [actor.kind, actor.id, protectedCell(actor.name)];
  const ids = Object.entries(targets).map(([name, id]) => `${name}=${id}`);
  return [time, operation, ...who, ids.join(' '), location, fields.join(' '), status, request_id];
}

/** Makes a CSV file of the newest ten thousand entries, page by page. */
export async function* accountLogFile(db: Db, filters: AccountLogFilters): AsyncGenerator<string> {
  yield csvLine([...headings, 'request_id'], ',');
  let entries = newestFirst(db, filters).limit(PAGE_ROWS);
  for (let sent = 0; sent < MAX_ROWS; sent += PAGE_ROWS) {
    const rows = await entries.execute();
    yield rows.map((entry) => csvLine(cellsOf(entry), ',')).join('');
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    const after = sql<SqlBool>`(created_at, id) < (${last.created_at}, ${last.id})`;
    entries = newestFirst(db, filters).where(after).limit(PAGE_ROWS);
  }
}
