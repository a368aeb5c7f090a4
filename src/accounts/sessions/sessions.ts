import { forbidden, tooManyFailures, unauthenticated } from '../../base/errors.js';
import type { Identity } from '../identity.js';
import { accountBudgets, loginBudgets, spendAttempt } from '../login-budget.js';
import { type LoginRefusal, memberOf } from '../sign-in.js';
import type { AccessToken } from '../tokens.js';
import {
  beginEnrolment,
  type Confirmation,
  type Enrolment,
  type EnrolmentHolder,
  prepareConfirmation,
  readEnrolment,
} from './enrolment.js';
import { hasSecondFactor, type SecondFactorDeps, spendCode } from './second-factor.js';
import { endSession, type NewSession, nameOf, openSession, readSession, type Session } from './session.js';

export interface Sessions {
  read(secret: string): Promise<Session | undefined>;
  end(session: Session): Promise<void>;
  /** A session, which is admitted unless there is a second factor. Throws as `Identity.sessionSignIn` does. */
  signIn(email: string, password: string, ip: string): Promise<Opened>;
  /** A code for an admitted session, a new one in place of the one that waits for the code. */
  giveCode(waiting: Session, code: string, ip: string): Promise<Opened>;
  beginEnrolment(session: Session): Promise<Enrolment>;
  readEnrolment(session: Session, sealed: string): Enrolment | undefined;
  /** The recovery codes and a new session. Throws as `prepareConfirmation` does. */
  confirmEnrolment(session: Session, given: Confirmation): Promise<ConfirmedFactor>;
}

type Opened = { ok: true; session: Session } | LoginRefusal;

export interface ConfirmedFactor {
  recoveryCodes: readonly string[];
  /** Replaces every session that the account had. */
  session: Opened;
}

/**
 * Uses a code up at a sign-in whose password was right; undefined when the code is right. Wrong ones use up the budget
 * of failed logins, and one of the account over all networks.
 */
async function spendLoginCode(
  deps: SecondFactorDeps,
  { accountId, email }: Pick<Session, 'accountId' | 'email'>,
  code: string,
  ip: string,
): Promise<LoginRefusal | undefined> {
  const budgets = [...loginBudgets({ email, ip, networkKnown: true }), ...accountBudgets(accountId)];
  const attempt = await spendAttempt(deps.db, budgets, () => spendCode(deps, accountId, code));
  if (!attempt.granted) return { ok: false, reason: 'budget', retryAfterSeconds: attempt.retryAfterSeconds };
  return attempt.succeeded ? undefined : { ok: false, reason: 'credentials' };
}

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
  if (signedIn.role !== 'operator')
    throw forbidden('role_not_allowed', 'Only operators sign in here: customers do at POST /auth/login.');
  if (!(await hasSecondFactor(deps.db, signedIn.accountId))) return signedIn.token;
  if (login.code === undefined) throw forbidden('second_factor_required', 'Send a code of your second factor, too.');
  const refusal = await spendLoginCode(deps, signedIn, login.code, ip);
  if (refusal) throw refusalOf(refusal);
  return deps.identity.factorToken(signedIn);
}

function refusalOf(refusal: LoginRefusal) {
  if (refusal.reason === 'budget') return tooManyFailures(refusal);
  return unauthenticated('login_failed', 'E-mail address, password or code is wrong.');
}

const holderOf = (session: Session): EnrolmentHolder & { email: string } => {
  const { accountId, email, epoch } = session;
  return { accountId, email, epoch, session: `session ${nameOf(session)}` };
};

/** Sign-in of people at the pages of their role (contracts/guides/behaviour.md#identity-and-access). */
export function createSessions(
  deps: SecondFactorDeps & { identity: Pick<Identity, 'sessionSignIn' | 'refresh'> },
): Sessions {
  const { db, identity } = deps;

  const opened = async (account: NewSession): Promise<Opened> => {
    const session = await readSession(db, await openSession(db, account));
    // The password may have changed since it was checked.
    return session ? { ok: true, session } : { ok: false, reason: 'credentials' };
  };

  return {
    read: (secret: string) => readSession(db, secret),
    end: (session: Session) => endSession(db, session),

    signIn: async (email: string, password: string, ip: string): Promise<Opened> => {
      const login = await identity.sessionSignIn(email, password, ip);
      if (!login.ok) return login;
      const { accountId, epoch } = login.credentials;
      const member = memberOf(login.credentials);
      return opened({
        accountId,
        epoch,
        member,
        isAdmitted: member !== undefined || !(await hasSecondFactor(db, accountId)),
      });
    },

    giveCode: async (waiting: Session, code: string, ip: string): Promise<Opened> => {
      const { accountId, epoch } = waiting;
      const refusal = await spendLoginCode(deps, waiting, code, ip);
      if (refusal) return refusal;
      await endSession(db, waiting);
      return opened({ accountId, epoch, isAdmitted: true });
    },

    beginEnrolment: (session: Session) => beginEnrolment(deps, holderOf(session)),

    readEnrolment: (session: Session, sealed: string) => readEnrolment(deps, holderOf(session), sealed),

    confirmEnrolment: async (session: Session, given: Confirmation): Promise<ConfirmedFactor> => {
      const { recoveryCodes, epoch } = await (await prepareConfirmation(deps, holderOf(session), given))(db);
      await identity.refresh();
      return { recoveryCodes, session: await opened({ accountId: session.accountId, epoch, isAdmitted: true }) };
    },
  };
}
