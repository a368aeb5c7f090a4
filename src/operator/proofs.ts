import type { Actor } from '../base/actor.js';
import { fileHeaders, getPicture, type PictureKey, putPicture } from '../packages/proof/pictures.js';
import { getPinState, overridePin, type PinState } from '../packages/proof/pins.js';
import { getProof, proofBody } from '../packages/proof/proofs.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type ProofOperation =
  | 'getProof'
  | 'getProofPhoto'
  | 'getProofSignature'
  | 'putProofPhoto'
  | 'putProofSignature'
  | 'getPinState'
  | 'overridePin';

export const proofsHandlers = (deps: OperatorDeps): OperatorHandlers<ProofOperation> => {
  const { db, endpoints } = deps;
  const keys = endpoints.encryptionKeys;
  const picture = async (actor: Actor, key: PictureKey) => {
    const { type, bytes: body } = await getPicture(db, actor, keys, key);
    return { status: 200 as const, type, body, headers: fileHeaders(key, type) };
  };
  return {
    getProof: async ({ params, ctx }) => ({
      status: 200,
      body: proofBody(await getProof(db, ctx.actor, keys, params.loggi_key), '/operator/v1'),
    }),

    getProofPhoto: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'photo' }),

    getProofSignature: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'signature' }),

    putProofPhoto: async ({ params, body, ctx }) => {
      await putPicture(db, keys, { loggiKey: params.loggi_key, kind: 'photo' }, body.bytes, ctx.signal);
      return { status: 204 };
    },

    putProofSignature: async ({ params, body, ctx }) => {
      await putPicture(db, keys, { loggiKey: params.loggi_key, kind: 'signature' }, body.bytes, ctx.signal);
      return { status: 204 };
    },

    getPinState: async ({ params }) => {
      const state = await getPinState(db, params.loggi_key);
      const { overrideReason } = state;
      return {
        status: 200,
        body: { ...toPinState(state), ...(overrideReason && { override_reason: overrideReason }) },
      };
    },

    overridePin:
      async ({ params, body }) =>
      // Without the reason: this answer is stored for the idempotency key, and the reason goes with the recipient.
      async (trx) => ({ status: 200, body: toPinState(await overridePin(trx, params.loggi_key, body.reason)) }),
  };
};

const toPinState = ({ loggiKey, state, wrongTries, confirmedAt, overriddenAt }: PinState): Schemas['PinState'] => ({
  loggi_key: loggiKey,
  state,
  wrong_tries: wrongTries,
  ...(confirmedAt && { confirmed_at: confirmedAt.toISOString() }),
  ...(overriddenAt && { overridden_at: overriddenAt.toISOString() }),
});
