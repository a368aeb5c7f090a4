import { cleanLogo, getBrand, getLogo, putLogo, removeLogo, setBrandColour, toBranding } from '../accounts/brand.js';
import type { NoKey } from '../base/every-key.js';
import type { Db } from '../db/connect.js';
import type { RestDeps, SomeHandlers } from './deps.js';

const LOGO = '/api/v1/branding/logo';

export const brandingHandlers = ({ db }: RestDeps) => {
  const answer = async (within: Db, accountId: string) => ({
    status: 200 as const,
    body: toBranding(await getBrand(within, accountId), LOGO),
  });
  return {
    getBranding: ({ ctx: { actor } }) => answer(db, actor.accountId),

    setBrandColor: async ({ body: { color, ...others }, ctx: { actor } }) => {
      others satisfies NoKey;
      return async (trx) => {
        await setBrandColour(trx, actor.accountId, color);
        return answer(trx, actor.accountId);
      };
    },

    getLogo: async ({ ctx: { actor } }) => {
      const { type, bytes: body } = await getLogo(db, actor.accountId);
      const headers = { 'Content-Disposition': `attachment; filename="logo.${type.slice('image/'.length)}"` };
      return { status: 200, type, body, headers };
    },

    putLogo: async ({ body, ctx: { actor, signal } }) => {
      const logo = await cleanLogo(body.bytes, signal);
      return async (trx) => {
        await putLogo(trx, actor.accountId, logo);
        return { status: 204 };
      };
    },

    deleteLogo:
      async ({ ctx: { actor } }) =>
      async (trx) => {
        await removeLogo(trx, actor.accountId);
        return { status: 204 };
      },
  } satisfies SomeHandlers;
};
