import { pictureReply } from '../packages/proof/pictures.js';
import { getProof, proofBody } from '../packages/proof/proofs.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const proofsHandlers = ({ db, encryptionKeys }: RestDeps) => {
  return {
    getDeliveryProof: async ({ params, ctx }) => ({
      status: 200,
      body: proofBody(await getProof(db, ctx.actor, encryptionKeys, params.loggi_key), '/api/v1'),
    }),

    getDeliveryPhoto: ({ params, ctx }) =>
      pictureReply(db, ctx.actor, encryptionKeys, { loggiKey: params.loggi_key, kind: 'photo' }),

    getDeliverySignature: ({ params, ctx }) =>
      pictureReply(db, ctx.actor, encryptionKeys, { loggiKey: params.loggi_key, kind: 'signature' }),
  } satisfies SomeHandlers;
};
