import { createIdentity, type Identity } from '../accounts/identity.js';
import { ensureFirstOperator, type FirstOperatorResult } from '../accounts/operators.js';
import { usePasswordCost } from '../accounts/passwords.js';
import type { Context } from './context.js';
import type { Database } from './database.js';

export interface Accounts {
  identity: Identity;
  firstOperator: FirstOperatorResult;
}

/** Makes sure of the first operator, and learns which tokens have ended. */
export async function start(context: Context, { db, pollDb, wait }: Database): Promise<Accounts> {
  const { config, log, clock, keys, metrics, overrides, running } = context;
  usePasswordCost(overrides.passwordCost);
  const { operatorEmail: email, operatorPassword: password, accessTokenTtlSeconds: tokenTtlSeconds } = config;
  // A worker creates none: its output is not where one looks for a password.
  const firstOperator =
    overrides.api === false
      ? { created: false as const, passwordRefused: false }
      : await wait(() => ensureFirstOperator(db, { email, password }));
  const { onLoginRefused, runSweep } = metrics;
  const tokens = { tokenKeys: keys.jwtKeys, tokenTtlSeconds, issuer: config.publicUrl };
  const { apiKeySecrets } = keys;
  const identity = createIdentity({ db, pollDb, log, clock, apiKeySecrets, ...tokens, onLoginRefused, runSweep });
  await wait(identity.start);
  running.add(identity.stop);
  return { identity, firstOperator };
}
