import { factorRuleOf, removeFactorOfMember, setFactorRule } from '../accounts/member-factors.js';
import { prepareOwnRemoval } from '../accounts/sessions/second-factor.js';
import { beginByToken, prepareConfirmationByToken } from '../accounts/sessions/token-enrolment.js';
import type { NoKey } from '../base/every-key.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const secondFactorsHandlers = ({ db, identity, clock, encryptionKeys: keys }: RestDeps) => {
  const factors = { db, identity, clock, keys };
  return {
    beginOwnSecondFactor: async ({ ctx: { actor } }) => ({ status: 200, body: await beginByToken(factors, actor) }),

    confirmOwnSecondFactor: async ({ body, ctx }) => {
      const { enrolment, code, current_password: currentPassword, ...others } = body;
      others satisfies NoKey;
      const confirm = await prepareConfirmationByToken(factors, ctx.actor, { enrolment, code, currentPassword });
      ctx.afterCommit(identity.refresh);
      return async (trx) => ({ status: 200, body: await confirm(trx) });
    },

    removeOwnSecondFactor: async ({ body: { code, ...others }, ctx }) => {
      others satisfies NoKey;
      const remove = await prepareOwnRemoval(factors, ctx.actor, code);
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await remove(trx);
        return { status: 204 };
      };
    },

    removeMemberSecondFactor: async ({ params: { id }, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await removeFactorOfMember(trx, ctx.actor, id);
        return { status: 204 };
      };
    },

    getSecondFactorRule: async ({ ctx: { actor } }) => ({
      status: 200,
      body: { required: await factorRuleOf(db, actor.accountId) },
    }),

    setSecondFactorRule: async ({ body: { required, ...others }, ctx }) => {
      others satisfies NoKey;
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await setFactorRule(trx, ctx.actor, required);
        return { status: 200, body: { required } };
      };
    },
  } satisfies SomeHandlers;
};
