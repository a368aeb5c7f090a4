import type { Actor } from '../base/actor.js';
import { fileHeaders, getPicture, type PictureKey } from '../packages/proof/pictures.js';
import { getProof, proofBody } from '../packages/proof/proofs.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const proofsHandlers = ({ db, encryptionKeys }: RestDeps) => {
  const picture = async (actor: Actor, key: PictureKey) => {
    const { type, bytes: body } = await getPicture(db, actor, encryptionKeys, key);
    return { status: 200 as const, type, body, headers: fileHeaders(key, type) };
  };
  return {
    getDeliveryProof: async ({ params, ctx }) => ({
      status: 200,
      body: proofBody(await getProof(db, ctx.actor, encryptionKeys, params.loggi_key), '/api/v1'),
    }),

    getDeliveryPhoto: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'photo' }),

    getDeliverySignature: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'signature' }),
  } satisfies SomeHandlers;
};
