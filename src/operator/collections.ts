import { type NoKey, omitUndefined } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import {
  collectionBody,
  collectionDetailBody,
  getCollection,
  listCollections,
} from '../orders/collections/collection.js';
import { type ReceiptInput, receiveCollection } from '../orders/collections/receive.js';
import type { OperatorDeps, Schemas, SomeHandlers } from './deps.js';

export const collectionsHandlers = ({ db, readList }: OperatorDeps) =>
  ({
    listCollections: ({ query: { user_id: accountId, state, ...query }, ctx }) =>
      listReply(
        query,
        (page) => readList((replica) => listCollections(replica, ctx.actor, { accountId, state }, page)),
        collectionBody,
      ),

    getCollection: async ({ params, ctx }) => ({
      status: 200,
      body: collectionDetailBody(await getCollection(db, ctx.actor, { code: params.code })),
    }),

    receiveCollection: async ({ params, body, ctx }) => {
      const input = toReceipt(body);
      return async (trx) => {
        const received = await receiveCollection(trx, ctx.actor, params.code, input, ctx.origin.traceparent);
        return { status: 200, body: collectionDetailBody(received) };
      };
    },
  }) satisfies SomeHandlers;

function toReceipt(body: Schemas['CollectionReceiptInput']): ReceiptInput {
  const { happened_at, location, scanned, missing, ...others } = body;
  others satisfies NoKey;
  return omitUndefined<ReceiptInput>({
    happenedAt: happened_at,
    location: location && { city: location.city, state: location.state },
    scanned,
    missing,
  });
}
