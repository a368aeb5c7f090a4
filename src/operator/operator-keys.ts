import {
  createOperatorKey,
  getOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  revokeOperatorKey,
} from '../accounts/operator-keys.js';
import type { Clock } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type KeyOperation = 'createOperatorKey' | 'listOperatorKeys' | 'getOperatorKey' | 'revokeOperatorKey';

export const operatorKeysHandlers = ({ db, readList, clock }: OperatorDeps): OperatorHandlers<KeyOperation> => ({
  createOperatorKey: async ({ body: { name, scope, expires_at }, ctx }) => {
    const expiresAt = expires_at === undefined ? undefined : futureTime(clock, expires_at);
    return async (trx) => {
      const input = { name, scope, createdBy: ctx.actor.accountId, expiresAt };
      const { key, secret } = await createOperatorKey(trx, input);
      const headers = { Location: `/operator/v1/operator-keys/${key.id}`, 'Cache-Control': 'no-store' };
      return { status: 201, body: { operator_key: toOperatorKey(key), secret }, headers };
    };
  },

  listOperatorKeys: async ({ query }) => {
    const page = pageOf(query);
    const keys = await readList((db) => listOperatorKeys(db, { createdBy: query.created_by }, page));
    return { status: 200, body: listBody(keys, page, toOperatorKey) };
  },

  getOperatorKey: async ({ params }) => ({ status: 200, body: toOperatorKey(await getOperatorKey(db, params.id)) }),

  revokeOperatorKey:
    async ({ params }) =>
    async (trx) => ({ status: 200, body: toOperatorKey(await revokeOperatorKey(trx, params.id)) }),
});

/** Throws VALIDATION_ERROR when the time is past. */
function futureTime(clock: Clock, text: string): Date {
  const time = new Date(text);
  if (time <= clock()) throw invalid([{ field: 'expiresAt', message: 'must be in the future' }]);
  return time;
}

const toOperatorKey = (key: OperatorKey): Schemas['OperatorKey'] => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  created_by: key.createdBy,
  created_at: key.createdAt.toISOString(),
  ...(key.expiresAt && { expires_at: key.expiresAt.toISOString() }),
  ...(key.lastUsedAt && { last_used_at: key.lastUsedAt.toISOString() }),
  ...(key.revokedAt && { revoked_at: key.revokedAt.toISOString() }),
});
