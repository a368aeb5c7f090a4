import { getBrand, getLogo, putLogo, removeLogo, setBrandColour, toBranding } from '../accounts/brand.js';
import type { NoKey } from '../base/every-key.js';
import type { RestDeps, SomeHandlers } from './deps.js';

const LOGO = '/api/v1/branding/logo';

export const brandingHandlers = ({ db }: RestDeps) => {
  const answer = async (accountId: string) => ({
    status: 200 as const,
    body: toBranding(await getBrand(db, accountId), LOGO),
  });
  return {
    getBranding: ({ ctx: { actor } }) => answer(actor.accountId),

    setBrandColor: async ({ body: { color, ...others }, ctx: { actor } }) => {
      others satisfies NoKey;
      await setBrandColour(db, actor.accountId, color);
      return answer(actor.accountId);
    },

    getLogo: async ({ ctx: { actor } }) => {
      const { type, bytes: body } = await getLogo(db, actor.accountId);
      const headers = { 'Content-Disposition': `attachment; filename="logo.${type.slice('image/'.length)}"` };
      return { status: 200, type, body, headers };
    },

    putLogo: async ({ body, ctx: { actor, signal } }) => {
      await putLogo(db, actor.accountId, body.bytes, signal);
      return { status: 204 };
    },

    deleteLogo: async ({ ctx: { actor } }) => {
      await removeLogo(db, actor.accountId);
      return { status: 204 };
    },
  } satisfies SomeHandlers;
};
