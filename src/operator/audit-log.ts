import { type AuditEntry, type AuditFilters, listAudit } from '../accounts/audit.js';
import { wholeMillisecond } from '../base/clock.js';
import { listBody, pageOf } from '../http/paging.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

export const auditLogHandlers = ({ readList }: OperatorDeps): OperatorHandlers<'listAuditLog'> => ({
  listAuditLog: async ({ query }) => {
    const page = pageOf(query);
    return {
      status: 200,
      body: listBody(await readList((db) => listAudit(db, filtersOf(query), page)), page, toAuditEntry),
    };
  },
});

interface FilterQuery {
  actor_id?: string;
  key_id?: string;
  operation?: string;
  created_from?: string;
  created_to?: string;
}

const filtersOf = ({ actor_id, key_id, operation, created_from, created_to }: FilterQuery): AuditFilters => ({
  actorId: actor_id,
  keyId: key_id,
  operation,
  from: created_from === undefined ? undefined : wholeMillisecond(created_from),
  to: created_to === undefined ? undefined : wholeMillisecond(created_to),
});

const toAuditEntry = (entry: AuditEntry): Schemas['AuditEntry'] => ({
  id: entry.id,
  created_at: entry.createdAt.toISOString(),
  operation: entry.operation,
  ...(entry.actorId !== undefined && { actor_id: entry.actorId }),
  ...(entry.keyId !== undefined && { key_id: entry.keyId }),
  targets: entry.targets,
  ...(entry.location !== undefined && { location: entry.location }),
  fields: [...entry.fields],
  ...(entry.status !== undefined && { status: entry.status }),
  ...(entry.requestId !== undefined && { request_id: entry.requestId }),
});
