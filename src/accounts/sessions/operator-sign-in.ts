import { forbidden, rateLimited, unauthenticated } from '../../base/errors.js';
import type { Identity } from '../identity.js';
import type { LoginRefusal } from '../sign-in.js';
import type { AccessToken } from '../tokens.js';
import { hasSecondFactor, type SecondFactorDeps } from './second-factor.js';
import { spendLoginCode } from './sessions.js';

interface OperatorLogin {
  email: string;
  password: string;
  code?: string | undefined;
}

type OperatorSignInDeps = SecondFactorDeps & { identity: Pick<Identity, 'signIn' | 'factorToken'> };

/**
 * A token for an operator: with the second factor where there is one. Throws UNAUTHENTICATED, RATE_LIMITED,
 * UNAVAILABLE; FORBIDDEN to customers, and to operators who did not send the code that they need.
 */
export async function signInOperator(deps: OperatorSignInDeps, login: OperatorLogin, ip: string): Promise<AccessToken> {
  const signedIn = await deps.identity.signIn(login.email, login.password, ip);
  if (!signedIn.ok) throw refusalOf(signedIn);
  if (signedIn.role !== 'operator') throw forbidden('Only operators sign in here: customers do at POST /auth/login.');
  if (!(await hasSecondFactor(deps.db, signedIn.accountId))) return signedIn.token;
  if (login.code === undefined) throw forbidden('Send a code of your second factor, too.', 'second_factor_required');
  const refusal = await spendLoginCode(deps, signedIn, login.code, ip);
  if (refusal) throw refusalOf(refusal);
  return deps.identity.factorToken(signedIn);
}

function refusalOf(refusal: LoginRefusal) {
  if (refusal.reason === 'budget') return rateLimited('Too many failed logins.', refusal.retryAfterSeconds);
  return unauthenticated('E-mail address, password or code is wrong.', 'Bearer');
}
