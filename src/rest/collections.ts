import { type NoKey, omitUndefined } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import { type CollectionSheet, collectionSheet } from '../labels/collection-sheet.js';
import { labelsGate } from '../labels/print.js';
import {
  type Collection,
  collectionBody,
  collectionDetailBody,
  getCollection,
  listCollections,
} from '../orders/collections/collection.js';
import { type CollectionInput, cancelCollection, createCollection } from '../orders/collections/create.js';
import type { RestDeps, Schemas, SomeHandlers } from './deps.js';

export const collectionsHandlers = ({ db, readList, codes }: RestDeps) =>
  ({
    createCollection: async ({ body, ctx }) => {
      const input = toInput(body);
      return async (trx) => {
        const made = await createCollection(trx, codes, ctx.actor, input);
        const headers = { Location: `/api/v1/collections/${made.list.id}` };
        return { status: 201, body: collectionDetailBody(made), headers };
      };
    },

    listOwnCollections: ({ query, ctx }) =>
      listReply(
        query,
        (page) => readList((replica) => listCollections(replica, ctx.actor, { state: query.state }, page)),
        collectionBody,
      ),

    getOwnCollection: async ({ params, ctx }) => ({
      status: 200,
      body: collectionDetailBody(await getCollection(db, ctx.actor, { id: params.id })),
    }),

    getCollectionSheet: async ({ params, ctx: { actor, signal } }) =>
      labelsGate.pass(actor.accountId, signal, async () => {
        const found = await getCollection(db, actor, { id: params.id });
        const headers = { 'Content-Disposition': `inline; filename="collection-${found.list.code}.pdf"` };
        const bytes = await collectionSheet(toSheet(found), signal);
        return { status: 200 as const, headers, type: 'application/pdf' as const, body: bytes };
      }),

    cancelCollection:
      async ({ params, ctx }) =>
      async (trx) => ({
        status: 200,
        body: collectionDetailBody(await cancelCollection(trx, ctx.actor, params.id)),
      }),
  }) satisfies SomeHandlers;

const toSheet = ({ list, packages }: Collection): CollectionSheet => ({
  code: list.code,
  sender: list.sender,
  createdAt: atCarrier(list.created_at),
  lines: packages.map(({ trackingCode, reference, externalId, recipientName, weight, ...place }) => ({
    trackingCode,
    orderName: reference ?? externalId ?? '',
    recipientName,
    destination: [`${place.city} - ${place.state}`, place.postalCode ?? ''].filter(Boolean).join(', '),
    weight,
  })),
});

/** Writes a time as `18/11/2026 09:05`, on the clock of São Paulo. */
const atCarrier = (time: Date): string =>
  new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'short', timeZone: 'America/Sao_Paulo' }).format(
    time,
  );

function toInput({ order_ids, pickup_index, loggi_keys, ...others }: Schemas['CollectionInput']): CollectionInput {
  others satisfies NoKey;
  return omitUndefined<CollectionInput>({ orderIds: order_ids, pickupIndex: pickup_index, loggiKeys: loggi_keys });
}
