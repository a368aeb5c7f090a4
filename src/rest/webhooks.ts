import { accountSeenBy } from '../base/actor.js';
import { endpointBody, getEndpoint, listEndpoints, publicKeysOf } from '../endpoints/endpoint-queries.js';
import { toJwk } from '../endpoints/key-pairs.js';
import { listReply } from '../http/paging.js';
import {
  attemptBody,
  deliveryBody,
  getDelivery,
  listAttempts,
  listDeadLetters,
  summaryBody,
} from '../queue/delivery-queries.js';
import type { RestDeps, SomeHandlers } from './deps.js';

// Far shorter than both keys of a rotation are in use.
const KEYS_CACHE_CONTROL = 'public, max-age=300';

/** An account only reads its webhooks: changes are the operator's. */
export const webhooksHandlers = ({ db, readList }: RestDeps) =>
  ({
    listOwnWebhookEndpoints: ({ query: { state, ...query }, ctx }) => {
      const filters = { accountId: accountSeenBy(ctx.actor), state };
      return listReply(query, (page) => readList((replica) => listEndpoints(replica, filters, page)), endpointBody);
    },

    getOwnWebhookEndpoint: async ({ params, ctx }) => ({
      status: 200,
      body: endpointBody(await getEndpoint(db, params.id, ctx.actor)),
    }),

    listOwnWebhookAttempts: ({ params, query, ctx }) =>
      listReply(query, (page) => readList((replica) => listAttempts(replica, params.id, page, ctx.actor)), attemptBody),

    listOwnDeadLetters: ({ params, query, ctx }) =>
      listReply(
        query,
        (page) => readList((replica) => listDeadLetters(replica, params.id, page, ctx.actor)),
        summaryBody,
      ),

    getOwnDelivery: async ({ params, ctx }) => ({
      status: 200,
      body: deliveryBody(await getDelivery(db, params.webhook_id, ctx.actor)),
    }),

    getWebhookKeys: async ({ params }) => {
      const keys = (await publicKeysOf(db, params.id)).map(toJwk);
      return { status: 200, body: { keys }, headers: { 'Cache-Control': KEYS_CACHE_CONTROL } };
    },
  }) satisfies SomeHandlers;
