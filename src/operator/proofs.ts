import type { NoKey } from '../base/every-key.js';
import { pictureReply, putPicture } from '../packages/proof/pictures.js';
import { getPinState, overridePin, type PinState } from '../packages/proof/pins.js';
import { getProof, proofBody } from '../packages/proof/proofs.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const proofsHandlers = ({ db, encryptionKeys: keys }: OperatorDeps) => {
  return {
    getProof: async ({ params, ctx }) => ({
      status: 200,
      body: proofBody(await getProof(db, ctx.actor, keys, params.loggi_key), '/operator/v1'),
    }),

    getProofPhoto: ({ params, ctx }) =>
      pictureReply(db, ctx.actor, keys, { loggiKey: params.loggi_key, kind: 'photo' }),

    getProofSignature: ({ params, ctx }) =>
      pictureReply(db, ctx.actor, keys, { loggiKey: params.loggi_key, kind: 'signature' }),

    putProofPhoto: async ({ params, body, ctx }) => {
      await putPicture(db, keys, { loggiKey: params.loggi_key, kind: 'photo' }, body.bytes, ctx.signal);
      return { status: 204 };
    },

    putProofSignature: async ({ params, body, ctx }) => {
      await putPicture(db, keys, { loggiKey: params.loggi_key, kind: 'signature' }, body.bytes, ctx.signal);
      return { status: 204 };
    },

    getPinState: async ({ params }) => ({
      status: 200,
      body: toPinState(await getPinState(db, params.loggi_key)),
    }),

    overridePin: async ({ params, body: { reason, ...others } }) => {
      others satisfies NoKey;
      return async (trx) => {
        const state = await overridePin(trx, params.loggi_key, reason);
        // The answer is stored for the idempotency key. It leaves out the reason, which must be erased with the
        // recipient.
        return { status: 200, body: { ...toPinState(state), override_reason: undefined } };
      };
    },
  } satisfies SomeHandlers;
};

const toPinState = (pin: PinState): Bodies['PinState'] => ({
  loggi_key: pin.loggiKey,
  state: pin.state,
  wrong_tries: pin.wrongTries,
  confirmed_at: pin.confirmedAt?.toISOString(),
  overridden_at: pin.overriddenAt?.toISOString(),
  override_reason: pin.overrideReason || undefined,
});
