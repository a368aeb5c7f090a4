import { createNamedKey, getNamedKey, listNamedKeys, revokeNamedKey, toApiKey } from '../accounts/named-keys.js';
import { invalid } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const apiKeysHandlers = ({ db, readList, clock, identity }: RestDeps) =>
  ({
    createApiKey: async ({ body: { name, scope, expires_at, ...others }, ctx }) => {
      others satisfies NoKey;
      const expiresAt = expires_at === undefined ? null : new Date(expires_at);
      if (expiresAt && expiresAt <= clock())
        throw invalid([{ field: 'expiresAt', code: 'too_early', message: 'must be in the future' }]);
      return async (trx) => {
        const { accountId, member } = ctx.actor;
        const input = { accountId, name, scope, expiresAt, madeBy: member?.id ?? null };
        const { key, secret } = await createNamedKey(trx, input);
        const headers = { Location: `/api/v1/api-keys/${key.id}`, 'Cache-Control': 'no-store' };
        return { status: 201, body: { api_key: toApiKey(key), secret }, headers };
      };
    },

    listApiKeys: ({ query, ctx }) =>
      listReply(query, (page) => readList((replica) => listNamedKeys(replica, ctx.actor, {}, page)), toApiKey),

    getApiKey: async ({ params, ctx }) => ({
      status: 200,
      body: toApiKey(await getNamedKey(db, ctx.actor, params.id)),
    }),

    revokeApiKey: async ({ params, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await revokeNamedKey(trx, ctx.actor, params);
        return { status: 204 };
      };
    },
  }) satisfies SomeHandlers;
