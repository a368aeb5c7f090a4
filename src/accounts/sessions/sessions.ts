import { auditedActor, personOf } from '../../base/actor.js';
import { forbidden, tooManyFailures, unauthenticated } from '../../base/errors.js';
import { transaction } from '../../db/transaction.js';
import { recordAudit } from '../audit.js';
import type { Identity, SignedIn } from '../identity.js';
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
import { codeMissing, type SecondFactorDeps, spendLoginCode } from './second-factor.js';
import { endSession, type NewSession, nameOf, openSession, readSession, type Session } from './session.js';

export interface Sessions {
  read(secret: string): Promise<Session | undefined>;
  end(session: Session): Promise<void>;
  /** Begins a session. It is admitted unless the person has a second factor. Throws like `Identity.sessionSignIn`. */
  signIn(email: string, password: string, ip: string): Promise<Opened>;
  /** Exchanges a session that waits for a code for a new, admitted session. */
  giveCode(waiting: Session, code: string, ip: string): Promise<Opened>;
  beginEnrolment(session: Session): Promise<Enrolment>;
  readEnrolment(session: Session, sealed: string): Enrolment | undefined;
  /**
   * Puts the second factor in force. Returns recovery codes and a new session, and writes to the audit log. Throws like
   * `prepareConfirmation`.
   */
  confirmEnrolment(session: Session, given: Confirmation, requestId: string): Promise<ConfirmedFactor>;
}

type Opened = { ok: true; session: Session } | LoginRefusal;

export interface ConfirmedFactor {
  recoveryCodes: readonly string[];
  /** The new session. It replaces all earlier sessions of the person. */
  session: Opened;
}

interface PersonLogin {
  email: string;
  password: string;
  code?: string | undefined;
}

type SignInDeps = SecondFactorDeps & { identity: Pick<Identity, 'signIn' | 'factorToken'> };

/**
 * Returns a token for an operator. If the operator has a second factor, the code is needed. Throws UNAUTHENTICATED,
 * RATE_LIMITED and UNAVAILABLE. Throws FORBIDDEN to customers, and without a needed code.
 */
export async function signInOperator(deps: SignInDeps, login: PersonLogin, ip: string): Promise<AccessToken> {
  const signedIn = await checkPassword(deps, login, ip);
  if (signedIn.role !== 'operator')
    throw forbidden('role_not_allowed', 'Only operators sign in here: customers do at POST /auth/login.');
  return tokenFor(deps, signedIn, login.code, ip);
}

/** Returns a token for any person, like `signInOperator`. An operator without a code gets a token that only reads. */
export async function signInPerson(deps: SignInDeps, login: PersonLogin, ip: string): Promise<AccessToken> {
  const signedIn = await checkPassword(deps, login, ip);
  if (signedIn.role === 'operator' && login.code === undefined) return signedIn.token;
  return tokenFor(deps, signedIn, login.code, ip);
}

async function checkPassword({ identity }: SignInDeps, { email, password }: PersonLogin, ip: string) {
  const signedIn = await identity.signIn(email, password, ip);
  if (!signedIn.ok) throw refusalOf(signedIn);
  return signedIn;
}

async function tokenFor(deps: SignInDeps, signedIn: SignedIn, code: string | undefined, ip: string) {
  if (!signedIn.hasFactor) return signedIn.token;
  if (code === undefined) throw codeMissing();
  const refusal = await spendLoginCode(deps, signedIn, code, ip);
  if (refusal) throw refusalOf(refusal);
  return deps.identity.factorToken(signedIn);
}

function refusalOf(refusal: LoginRefusal) {
  if (refusal.reason === 'budget') return tooManyFailures(refusal);
  return unauthenticated('login_failed', 'E-mail address, password or code is wrong.');
}

const holderOf = (session: Session): EnrolmentHolder & { email: string } => {
  const { email, epoch, member } = session;
  return { personId: personOf(session), email, epoch: member?.epoch ?? epoch, session: `session ${nameOf(session)}` };
};

const enrolmentOperations = { operator: 'confirmSecondFactor', customer: 'confirmOwnSecondFactor' } as const;

/** The entry in the audit log. It equals the entry of the contract's operation. */
const enrolmentEntry = (session: Session, requestId: string) => ({
  ...auditedActor(session),
  operation: enrolmentOperations[session.role],
  targets: {},
  fields: ['enrolment', 'code', 'current_password'],
  status: 200,
  requestId,
});

/** Signs people in at the pages of their role (contracts/guides/behaviour.md#identity-and-access). */
export function createSessions(
  deps: SecondFactorDeps & { identity: Pick<Identity, 'sessionSignIn' | 'refresh'> },
): Sessions {
  const { db, identity } = deps;

  const opened = async (account: NewSession): Promise<Opened> => {
    const session = await readSession(db, await openSession(db, account));
    // The password may have changed after it was checked.
    return session ? { ok: true, session } : { ok: false, reason: 'credentials' };
  };

  return {
    read: (secret: string) => readSession(db, secret),
    end: (session: Session) => endSession(db, session),

    signIn: async (email: string, password: string, ip: string): Promise<Opened> => {
      const login = await identity.sessionSignIn(email, password, ip);
      if (!login.ok) return login;
      const { accountId, epoch, hasFactor } = login.credentials;
      return opened({ accountId, epoch, member: memberOf(login.credentials), isAdmitted: !hasFactor });
    },

    giveCode: async (waiting: Session, code: string, ip: string): Promise<Opened> => {
      const refusal = await spendLoginCode(deps, waiting, code, ip);
      if (refusal) return refusal;
      await endSession(db, waiting);
      return opened({ ...waiting, isAdmitted: true });
    },

    beginEnrolment: (session: Session) => beginEnrolment(deps, holderOf(session)),

    readEnrolment: (session: Session, sealed: string) => readEnrolment(deps, holderOf(session), sealed),

    confirmEnrolment: async (session: Session, given: Confirmation, requestId: string): Promise<ConfirmedFactor> => {
      const confirm = await prepareConfirmation(deps, holderOf(session), given);
      const { recoveryCodes, epoch } = await transaction(db, async (trx) => {
        await recordAudit(trx, enrolmentEntry(session, requestId));
        return confirm(trx);
      });
      await identity.refresh();
      const { accountId, member } = session;
      const epochs = member ? { epoch: session.epoch, member: { ...member, epoch } } : { epoch };
      return { recoveryCodes, session: await opened({ accountId, ...epochs, isAdmitted: true }) };
    },
  };
}
