import { type AuditEntry, type AuditFilters, listAudit } from '../accounts/audit.js';
import { toTime } from '../base/clock.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import type { Bodies, Filters, OperatorDeps, SomeHandlers } from './deps.js';

export const auditLogHandlers = ({ readList }: OperatorDeps) =>
  ({
    listAuditLog: ({ query }) =>
      listReply(query, (page) => readList((db) => listAudit(db, filtersOf(query), page)), toAuditEntry),
  }) satisfies SomeHandlers;

function filtersOf(query: Filters<'listAuditLog'>): AuditFilters {
  const { user_id, actor_id, key_id, operation, created_from, created_to, ...others } = query;
  others satisfies NoKey;
  return {
    accountId: user_id,
    actorId: actor_id,
    keyId: key_id,
    operation,
    from: toTime(created_from),
    to: toTime(created_to),
  };
}

const toAuditEntry = (entry: AuditEntry): Bodies['AuditEntry'] => ({
  id: entry.id,
  created_at: entry.created_at.toISOString(),
  operation: entry.operation,
  user_id: entry.account_id ?? undefined,
  by_operator: entry.by_operator,
  actor_id: entry.actor_id ?? undefined,
  key_id: entry.key_id ?? undefined,
  targets: entry.targets,
  location: entry.location ?? undefined,
  fields: [...entry.fields],
  status: entry.status ?? undefined,
  request_id: entry.request_id ?? undefined,
});
