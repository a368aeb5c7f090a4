import { type Actor, personOf } from '../../base/actor.js';
import { unauthenticated } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import type { Identity } from '../identity.js';
import { beginEnrolment, type Confirmation, type EnrolmentHolder, prepareConfirmation } from './enrolment.js';
import { type SecondFactorDeps, signInOf } from './second-factor.js';

type TokenEnrolmentDeps = SecondFactorDeps & { identity: Pick<Identity, 'factorToken'> };

/** Begins a second factor for the person of a token. Throws UNAUTHENTICATED, and like `beginEnrolment`. */
export async function beginByToken(deps: TokenEnrolmentDeps, actor: Actor) {
  const holder = holderOf(actor);
  const signIn = await signInOf(deps.db, holder.personId);
  // A person was just removed, but their token is still valid for a moment.
  if (!signIn) throw endedToken();
  const { secret, uri, sealed, expiresAt } = await beginEnrolment(deps, { ...holder, email: signIn.email });
  return { secret, otpauth_uri: uri, enrolment: sealed, expires_at: expiresAt.toISOString() };
}

/** Returns a function that puts the second factor in force. Both throw like `prepareConfirmation`. */
export async function prepareConfirmationByToken(deps: TokenEnrolmentDeps, actor: Actor, given: Confirmation) {
  const { accountId, role, member } = actor;
  const { epoch: accountEpoch } = signInBehind(actor);
  const confirm = await prepareConfirmation(deps, holderOf(actor), given);
  return async (trx: Db) => {
    const { recoveryCodes, epoch } = await confirm(trx);
    const epochs = member ? { epoch: accountEpoch, member: { ...member, epoch } } : { epoch };
    return { recovery_codes: recoveryCodes, ...deps.identity.factorToken({ accountId, role, ...epochs }) };
  };
}

const endedToken = () => unauthenticated('token_invalid', 'The bearer token is not valid.');

/** The sign-in that issued the token. Throws UNAUTHENTICATED for an operator key, as it comes from no sign-in. */
function signInBehind({ signIn }: Actor) {
  if (!signIn) throw endedToken();
  return signIn;
}

function holderOf(actor: Actor): EnrolmentHolder {
  const { epoch, memberEpoch = epoch, tokenId } = signInBehind(actor);
  return { personId: personOf(actor), epoch: memberEpoch, session: `token ${tokenId}` };
}
