import { signInOperator } from '../accounts/sessions/sessions.js';
import { beginByToken, prepareConfirmationByToken } from '../accounts/sessions/token-enrolment.js';
import type { NoKey } from '../base/every-key.js';
import type { OperatorDeps, SomeHandlers } from './deps.js';

export const signInHandlers = (deps: OperatorDeps) => {
  const { db, identity, clock } = deps;
  const factors = { db, identity, clock, keys: deps.encryptionKeys };
  return {
    signIn: async ({ body: { email, password, code, ...others }, ctx }) => {
      others satisfies NoKey;
      const token = await signInOperator(factors, { email, password, code }, ctx.ip);
      return { status: 200, body: token };
    },

    beginSecondFactor: async ({ ctx: { actor } }) => ({ status: 200, body: await beginByToken(factors, actor) }),

    confirmSecondFactor: async ({ body, ctx }) => {
      const { enrolment, code, current_password: currentPassword, ...others } = body;
      others satisfies NoKey;
      const confirm = await prepareConfirmationByToken(factors, ctx.actor, { enrolment, code, currentPassword });
      ctx.afterCommit(identity.refresh);
      return async (trx) => ({ status: 200, body: await confirm(trx) });
    },
  } satisfies SomeHandlers;
};
