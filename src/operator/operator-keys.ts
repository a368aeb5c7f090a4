import {
  createOperatorKey,
  getOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  revokeOperatorKey,
} from '../accounts/operator-keys.js';
import { demandProof } from '../accounts/sessions/second-factor.js';
import { DAY_MS } from '../base/clock.js';
import { invalidField } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const operatorKeysHandlers = ({ db, readList, clock, encryptionKeys }: OperatorDeps) =>
  ({
    createOperatorKey: async ({ body, ctx: { actor } }) => {
      const { name, scope, expires_at, current_password, code, ...others } = body;
      others satisfies NoKey;
      const expiresAt = endOf(clock(), expires_at);
      const proof = { currentPassword: current_password, code };
      if (scope === 'all') await demandProof({ db, keys: encryptionKeys, clock }, actor.accountId, proof);
      return async (trx) => {
        const input = { name, scope, createdBy: actor.accountId, expiresAt, withFactor: actor.withFactor === true };
        const { key, secret } = await createOperatorKey(trx, input);
        const headers = { Location: `/operator/v1/operator-keys/${key.id}`, 'Cache-Control': 'no-store' };
        return { status: 201, body: { operator_key: toOperatorKey(key), secret }, headers };
      };
    },

    listOperatorKeys: ({ query: { created_by: createdBy, ...query } }) =>
      listReply(query, (page) => readList((replica) => listOperatorKeys(replica, { createdBy }, page)), toOperatorKey),

    getOperatorKey: async ({ params }) => ({ status: 200, body: toOperatorKey(await getOperatorKey(db, params.id)) }),

    revokeOperatorKey:
      async ({ params }) =>
      async (trx) => ({ status: 200, body: toOperatorKey(await revokeOperatorKey(trx, params.id)) }),
  }) satisfies SomeHandlers;

const USUAL_DAYS = 90;
/** A year and a day, so that the same date of the next year is always allowed. */
const MAX_DAYS = 366;

/** The end of a new key. Throws VALIDATION_ERROR if it is in the past or too far away. */
function endOf(now: Date, asked: string | undefined): Date {
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);
  if (asked === undefined) return inDays(USUAL_DAYS);
  const time = new Date(asked);
  if (time <= now) throw invalidField('expiresAt', 'too_early', 'must be in the future');
  const message = `must be within ${MAX_DAYS} days`;
  if (time > inDays(MAX_DAYS)) throw invalidField('expiresAt', 'too_late', message);
  return time;
}

const toOperatorKey = (key: OperatorKey): Bodies['OperatorKey'] => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  created_by: key.createdBy,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString(),
  revoked_at: key.revokedAt?.toISOString(),
  second_factor: key.withFactor,
});
