import type { Identity } from '../identity.js';
import { accountBudgets, loginBudgets, spendAttempt } from '../login-budget.js';
import type { LoginRefusal } from '../sign-in.js';
import {
  beginEnrolment,
  confirmEnrolment,
  hasSecondFactor,
  type SecondFactorDeps,
  spendCode,
} from './second-factor.js';
import { endSession, openSession, readSession, type Session } from './session.js';

export type Sessions = ReturnType<typeof createSessions>;

type Opened = { ok: true; session: Session } | LoginRefusal;

/** Sign-in of operators with a password, and the second factor where they have one (contracts/guides/behaviour.md#identity-and-access). */
export function createSessions(deps: SecondFactorDeps & { identity: Pick<Identity, 'operatorSignIn'> }) {
  const { db, identity } = deps;

  const opened = async (account: Pick<Session, 'accountId' | 'epoch' | 'isAdmitted'>): Promise<Opened> => {
    const session = await readSession(db, await openSession(db, account));
    // The password may have changed since it was checked.
    return session ? { ok: true, session } : { ok: false, reason: 'credentials' };
  };

  return {
    read: (secret: string) => readSession(db, secret),
    end: (session: Session) => endSession(db, session),

    /**
     * E-mail address and password of an operator for a session, which is admitted unless there is a second factor. Throws
     * `UNAVAILABLE` when too many passwords are being checked.
     */
    signIn: async (email: string, password: string, ip: string): Promise<Opened> => {
      const login = await identity.operatorSignIn(email, password, ip);
      if (!login.ok) return login;
      const { accountId, epoch } = login.credentials;
      return opened({ accountId, epoch, isAdmitted: !(await hasSecondFactor(db, accountId)) });
    },

    /**
     * A code for an admitted session, a new one in place of the one that waits for the code. Wrong codes use up the budget of failed
     * logins, and one of the account over all networks, as whoever gets here knows its password.
     */
    giveCode: async (waiting: Session, code: string, ip: string): Promise<Opened> => {
      const { accountId, email, epoch } = waiting;
      // The password was right from this network a moment ago.
      const budgets = [...loginBudgets({ email, ip, networkKnown: true }), ...accountBudgets(accountId)];
      const attempt = await spendAttempt(db, budgets, () => spendCode(deps, accountId, code));
      if (!attempt.granted) return { ok: false, reason: 'budget', retryAfterSeconds: attempt.retryAfterSeconds };
      if (!attempt.succeeded) return { ok: false, reason: 'credentials' };
      await endSession(db, waiting);
      return opened({ accountId, epoch, isAdmitted: true });
    },

    beginEnrolment: (session: Session) => beginEnrolment(deps, session),

    /** The recovery codes and a new session; undefined when the code is wrong. Throws CONFLICT. */
    confirmEnrolment: async ({ accountId, email, epoch }: Session, code: string) => {
      const codes = await confirmEnrolment(deps, { accountId, email }, code);
      if (!codes) return undefined;
      const session = await opened({ accountId, epoch, isAdmitted: true });
      return { codes, session };
    },
  };
}
