import { tooManyFailures, unauthenticated } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const authHandlers = ({ identity }: RestDeps) =>
  ({
    login: async ({ body: { email, password, ...others }, ctx }) => {
      others satisfies NoKey;
      const signedIn = await identity.signIn(email, password, ctx.ip);
      if (!signedIn.ok && signedIn.reason === 'budget') {
        throw tooManyFailures(signedIn);
      }
      if (!signedIn.ok) throw unauthenticated('login_failed', 'E-mail address or password is wrong.');
      return { status: 200, body: signedIn.token };
    },
  }) satisfies SomeHandlers;
