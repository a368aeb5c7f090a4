import { getAccount } from '../accounts/account.js';
import { beginEnrolment, type EnrolmentHolder, prepareConfirmation } from '../accounts/sessions/enrolment.js';
import { signInOperator } from '../accounts/sessions/sessions.js';
import type { Actor } from '../base/actor.js';
import { unauthenticated } from '../base/errors.js';
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

    beginSecondFactor: async ({ ctx: { actor } }) => {
      const account = await getAccount(db, actor, actor.accountId);
      // The token of an operator who has just been deleted may live on for a moment.
      if (!account) throw endedToken();
      const begun = await beginEnrolment(factors, { ...holderOf(actor), email: account.email });
      const { secret, uri, sealed, expiresAt } = begun;
      const expires_at = expiresAt.toISOString();
      return { status: 200, body: { secret, otpauth_uri: uri, enrolment: sealed, expires_at } };
    },

    confirmSecondFactor: async ({ body, ctx }) => {
      const { enrolment, code, current_password: currentPassword, ...others } = body;
      others satisfies NoKey;
      const given = { enrolment, code, currentPassword };
      const confirm = await prepareConfirmation(factors, holderOf(ctx.actor), given);
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        const { recoveryCodes, epoch } = await confirm(trx);
        const token = identity.factorToken({ accountId: ctx.actor.accountId, epoch });
        return { status: 200, body: { recovery_codes: recoveryCodes, ...token } };
      };
    },
  } satisfies SomeHandlers;
};

const endedToken = () => unauthenticated('token_invalid', 'The bearer token is not valid.');

/** Throws UNAUTHENTICATED for a text that is not a token. */
function holderOf({ accountId, signIn }: Actor): EnrolmentHolder {
  if (!signIn) throw endedToken();
  return { accountId, epoch: signIn.epoch, session: `token ${signIn.tokenId}` };
}
