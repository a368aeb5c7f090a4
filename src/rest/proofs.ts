import type { Actor } from '../base/actor.js';
import { fileHeaders, getPicture, type PictureKey } from '../packages/proof/pictures.js';
import { type DeliveryProof, getProof } from '../packages/proof/proofs.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';

type ProofOperation = 'getDeliveryProof' | 'getDeliveryPhoto' | 'getDeliverySignature';

export const proofsHandlers = ({ db, encryptionKeys }: RestDeps): RestHandlers<ProofOperation> => {
  const picture = async (actor: Actor, key: PictureKey) => {
    const { type, bytes: body } = await getPicture(db, actor, encryptionKeys, key);
    return { status: 200 as const, type, body, headers: fileHeaders(key, type) };
  };
  return {
    getDeliveryProof: async ({ params, ctx }) => ({
      status: 200,
      body: toProof(await getProof(db, ctx.actor, encryptionKeys, params.loggi_key)),
    }),

    getDeliveryPhoto: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'photo' }),

    getDeliverySignature: ({ params, ctx }) => picture(ctx.actor, { loggiKey: params.loggi_key, kind: 'signature' }),
  };
};

function toProof(proof: DeliveryProof): Schemas['DeliveryProof'] {
  const { loggiKey, recipientName, recipientDocument, position, pin, pictures } = proof;
  const body: Schemas['DeliveryProof'] = { loggi_key: loggiKey, delivered_at: proof.deliveredAt.toISOString() };
  if (recipientName !== undefined) body.recipient_name = recipientName;
  if (recipientDocument !== undefined) body.recipient_document = recipientDocument;
  if (position) body.position = position;
  if (pin) body.pin = pin;
  for (const { kind, mediaType, size } of pictures)
    body[kind] = { path: `/api/v1/packages/${loggiKey}/proof/${kind}`, media_type: mediaType, size };
  return body;
}
