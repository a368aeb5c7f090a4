import { DAY_SECONDS } from '../../base/clock.js';
import { newId } from '../../base/ids.js';
import { isPrivateKey, newKeyPair } from '../../endpoints/key-pairs.js';
import { newSigningSecret } from '../../endpoints/secrets.js';
import { bodyOf, sampleBody } from '../body.js';
import { acceptance, accepts, refuses } from './judging.js';
import * as samples from './samples.js';
import { type Check, keysOf, randomText, type Trial, type Variation, withoutHeader } from './trial.js';

const MAX_PACKAGES = 50;
/** Twice the age that receivers tolerate. */
const STALE_SECONDS = 600;

/** A wrong key of the same kind as the receiver's. */
const otherKey = ({ receiver: { secret } }: Trial): string =>
  isPrivateKey(secret) ? newKeyPair().privateKey : newSigningSecret();
/** A signature of the other scheme, which the receiver need not understand. */
const otherSignature = ({ receiver: { secret } }: Trial): string =>
  isPrivateKey(secret) ? `v1,${randomText(32)}` : `v1a,${randomText(64)}`;

/** Makes one body with a package for each difference. */
const about = (trial: Trial, ...other: Parameters<Trial['packages']>[1][]): Variation => ({
  body: bodyOf(other.flatMap((each) => trial.packages(1, each))).bytes,
});

const COMPARE = 'Compare user name, password and signing secret or public key with those of the receiver';
const RAW_BYTES = 'Sign the bytes of the body as they came, before anything parses them.';
const NEVER_REFUSE = 'Answer 200: a refused body comes again, ten times, and holds up the bodies behind it.';

export const acceptanceChecks: Readonly<Record<string, Check>> = {
  delivery: accepts('a delivery with the right user name, password and signature is accepted', () => ({}), {
    401: `${COMPARE}, and its clock with the right time.`,
    403: `${COMPARE}.`,
    otherwise: `See why in the receiver's log. A package that it does not know is no reason. ${NEVER_REFUSE}`,
  }),
  'raw-bytes': accepts(
    'a signature over a body that is spelled otherwise, with line breaks and escapes, is accepted',
    (trial) => ({ body: samples.respelled(bodyOf(trial.packages(1)).bytes) }),
    RAW_BYTES,
  ),
  rotation: accepts(
    'two signatures, the second one right, are accepted',
    (trial) => ({ signedBy: [otherKey(trial), ...keysOf(trial.receiver)] }),
    'Split webhook-signature at its spaces, and accept the request when one of the signatures is right.',
  ),
  'unknown-scheme': accepts(
    'a signature of an unknown scheme beside the right one is ignored',
    (trial) => ({ change: addSignature(otherSignature(trial)) }),
    'Pass over signatures of schemes that you do not know; one right signature is enough.',
  ),
  replay: accepts(
    'a body of 30 days ago that the carrier sends again (malote-replay: true) is accepted',
    (trial) => ({ kind: 'replay', ...about(trial, { requestTime: samples.ago(30 * DAY_SECONDS) }) }),
    'Compare the time with webhook-timestamp, which says when the request was made, not with times inside the body.',
  ),
  batch: accepts(
    'a body of 50 packages is accepted',
    (trial) => ({ body: bodyOf(trial.packages(MAX_PACKAGES)).bytes }),
    'Handle every entry of packages; there are up to 50. Store them first, work on them after the answer.',
  ),
  'unknown-code': accepts(
    'a status code that it does not know is accepted',
    (trial) => about(trial, { status: samples.unknownCode() }),
    'The list of codes is open. Show highLevelStatus for a code that you do not know.',
  ),
  'unknown-field': accepts(
    'fields that it does not know are ignored',
    (trial) => ({ body: samples.withUnknownFields(bodyOf(trial.packages(1)).bytes) }),
    'Have the parser ignore fields that it does not know, as fields may be added at any time.',
  ),
  'null-action': accepts(
    'actionRequired: null is accepted',
    (trial) => about(trial, { status: samples.withoutAction() }),
    'actionRequired is null unless the shipper must do something.',
  ),
  history: accepts(
    'a history with an event without location is accepted',
    (trial) => about(trial, { trackingHistory: samples.placelessHistory() }),
    'Events of trackingHistory may come without location.',
  ),
  'largest-body': accepts(
    'a body of 256 KiB is accepted',
    (trial) => about(trial, { trackingHistory: samples.longHistory() }),
    'Raise the limit on bodies of the framework or proxy, which often is 100 KB, to 256 KiB at least.',
  ),
  'late-update': {
    means: 'an update that is older than the newest one of its package is accepted',
    run: async (trial) => {
      const [newer] = trial.packages(1);
      if (!newer) throw new Error('unreachable: a package was asked for');
      await trial.send({ body: bodyOf([newer]).bytes });
      const older = await trial.send({ body: bodyOf([{ ...newer, requestTime: samples.ago(DAY_SECONDS) }]).bytes });
      return acceptance(older, `Keep what you have and answer 200. ${NEVER_REFUSE}`);
    },
  },
  duplicate: {
    means: 'a body that comes again under the same webhook-id is accepted again',
    run: async (trial) => {
      const repeated = { webhookId: newId(), body: bodyOf(trial.packages(1)).bytes };
      await trial.send(repeated);
      return acceptance(await trial.send(repeated), 'Answer 200 and do nothing else: the first answer was lost.');
    },
  },
  test: {
    ...accepts(
      'a test (malote-test: true) is accepted',
      () => ({ kind: 'test', body: sampleBody(new Date()) }),
      'It holds one sample package, all of whose codes are zeros. Answer 200 and leave it out.',
    ),
    needs: 'null-action',
  },
};

/**
 * Checks the middle of a rotation. Both secrets sign then, so a receiver needs only one of them, and learns which one
 * it has.
 */
export const rotationChecks = (secret: string, oldSecret: string): Readonly<Record<string, Check>> => ({
  'new-secret': warned(
    accepts(
      'the new secret alone is accepted',
      () => ({ signedBy: [secret] }),
      'Give the receiver the new secret before the old one ends.',
    ),
  ),
  'old-secret': warned(
    accepts(
      'the old secret alone is accepted',
      () => ({ signedBy: [oldSecret] }),
      'Give the receiver both secrets until the carrier has rotated.',
    ),
  ),
});

const warned = (check: Check): Check => ({
  ...check,
  run: async (trial) => {
    const finding = await check.run(trial);
    return finding.result === 'failed' ? { ...finding, result: 'warning' } : finding;
  },
});

const CHECK_SIGNATURE =
  'Refuse a request without a right signature: a password alone may leak, and then anybody can send you updates.';

export const refusalChecks: Readonly<Record<string, Check>> = {
  'wrong-username': refuses(
    'a wrong user name is refused',
    ({ receiver }) => ({ username: `${receiver.username}-other` }),
    'Compare the whole header authorization, not the password alone.',
  ),
  'wrong-password': refuses(
    'a wrong password is refused',
    () => ({ password: randomText(18) }),
    'Compare the whole header authorization, not the user name alone.',
  ),
  'missing-basic': refuses(
    'a request without user name and password is refused',
    () => ({ change: withoutHeader('authorization') }),
    'Refuse a request without the header authorization.',
  ),
  'wrong-signature': refuses(
    'a signature by another key is refused',
    (trial) => ({ signedBy: [otherKey(trial)] }),
    CHECK_SIGNATURE,
  ),
  'missing-signature': refuses(
    'a request without a signature is refused',
    () => ({ change: withoutHeader('webhook-signature') }),
    CHECK_SIGNATURE,
  ),
  'changed-body': refuses(
    'a body that was changed after it was signed is refused',
    () => ({ change: ({ body }) => ({ body: Buffer.from(body.toString('utf8').replaceAll('"SP"', '"RJ"')) }) }),
    RAW_BYTES,
  ),
  'old-timestamp': refuses(
    'a webhook-timestamp of ten minutes ago is refused, though its signature is right',
    () => ({ ageSeconds: STALE_SECONDS }),
    'Refuse timestamps that are more than five minutes off, so that nobody can send an old request again.',
  ),
  'future-timestamp': refuses(
    'a webhook-timestamp that is ten minutes ahead is refused',
    () => ({ ageSeconds: -STALE_SECONDS }),
    'Refuse timestamps that are more than five minutes off, in both directions.',
  ),
};

const addSignature =
  (signature: string): NonNullable<Variation['change']> =>
  ({ headers }) => ({
    headers: { ...headers, 'webhook-signature': `${signature} ${headers['webhook-signature']}` },
  });
