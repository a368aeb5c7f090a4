import { signInPerson } from '../accounts/sessions/sessions.js';
import type { NoKey } from '../base/every-key.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const authHandlers = ({ db, identity, clock, encryptionKeys }: RestDeps) =>
  ({
    login: async ({ body: { email, password, code, ...others }, ctx }) => {
      others satisfies NoKey;
      const deps = { db, identity, clock, keys: encryptionKeys };
      return { status: 200, body: await signInPerson(deps, { email, password, code }, ctx.ip) };
    },
  }) satisfies SomeHandlers;
