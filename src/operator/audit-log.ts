import { type AuditEntry, type AuditFilters, listAudit } from '../accounts/audit.js';
import { wholeMillisecond } from '../base/clock.js';
import type { NoKey } from '../base/every-key.js';
import { listBody, pageOf } from '../http/paging.js';
import type { Bodies, Filters, OperatorDeps, OperatorHandlers } from './deps.js';

export const auditLogHandlers = ({ readList }: OperatorDeps): OperatorHandlers<'listAuditLog'> => ({
  listAuditLog: async ({ query }) => {
    const page = pageOf(query);
    return {
      status: 200,
      body: listBody(await readList((db) => listAudit(db, filtersOf(query), page)), page, toAuditEntry),
    };
  },
});

function filtersOf(query: Filters<'listAuditLog'>): AuditFilters {
  const { actor_id, key_id, operation, created_from, created_to, ...others } = query;
  others satisfies NoKey;
  return {
    actorId: actor_id,
    keyId: key_id,
    operation,
    from: created_from === undefined ? undefined : wholeMillisecond(created_from),
    to: created_to === undefined ? undefined : wholeMillisecond(created_to),
  };
}

const toAuditEntry = (entry: AuditEntry): Bodies['AuditEntry'] => ({
  id: entry.id,
  created_at: entry.createdAt.toISOString(),
  operation: entry.operation,
  actor_id: entry.actorId,
  key_id: entry.keyId,
  targets: entry.targets,
  location: entry.location,
  fields: [...entry.fields],
  status: entry.status,
  request_id: entry.requestId,
});
