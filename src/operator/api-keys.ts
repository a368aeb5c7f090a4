import { getAccount, rotateApiKey } from '../accounts/account.js';
import { listNamedKeys, revokeNamedKey, toApiKey } from '../accounts/named-keys.js';
import { notFound } from '../base/errors.js';
import { listReply } from '../http/paging.js';
import type { OperatorDeps, SomeHandlers } from './deps.js';

export const apiKeysHandlers = ({ db, clock, identity }: OperatorDeps) =>
  ({
    rotateApiKey:
      async ({ params, body }) =>
      async (trx) => {
        const version = await rotateApiKey(trx, params.id, body?.overlap_seconds);
        return { status: 200, body: { user_id: params.id, version, rotated_at: clock().toISOString() } };
      },

    listUserApiKeys: async ({ params: { id: accountId }, query, ctx: { actor } }) => {
      if (!(await getAccount(db, actor, accountId))) throw notFound('user');
      return listReply(query, (page) => listNamedKeys(db, actor, { accountId }, page), toApiKey);
    },

    revokeUserApiKey: async ({ params: { id: accountId, key_id: id }, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await revokeNamedKey(trx, ctx.actor, { id, accountId });
        return { status: 204 };
      };
    },
  }) satisfies SomeHandlers;
