import { accountSeenBy } from '../base/actor.js';
import { listBody, pageOf } from '../http/paging.js';
import {
  attemptBody,
  deliveryBody,
  getDelivery,
  listAttempts,
  listDeadLetters,
  summaryBody,
} from '../outbox/delivery-queries.js';
import { endpointBody, getEndpoint, listEndpoints, publicKeysOf } from '../outbox/endpoint-queries.js';
import { toJwk } from '../outbox/key-pairs.js';
import type { RestDeps, RestHandlers } from './deps.js';

type WebhookOperation =
  | 'listOwnWebhookEndpoints'
  | 'getOwnWebhookEndpoint'
  | 'listOwnWebhookAttempts'
  | 'listOwnDeadLetters'
  | 'getOwnDelivery'
  | 'getWebhookKeys';

// Far shorter than both keys of a rotation are in use.
const KEYS_CACHE_CONTROL = 'public, max-age=300';

/** An account only reads its webhooks: changes are the operator's. */
export const webhooksHandlers = ({ db, readList }: RestDeps): RestHandlers<WebhookOperation> => ({
  listOwnWebhookEndpoints: async ({ query, ctx }) => {
    const page = pageOf(query);
    const filters = { accountId: accountSeenBy(ctx.actor), state: query.state };
    return {
      status: 200,
      body: listBody(await readList((lists) => listEndpoints(lists, filters, page)), page, endpointBody),
    };
  },

  getOwnWebhookEndpoint: async ({ params, ctx }) => ({
    status: 200,
    body: endpointBody(await getEndpoint(db, params.id, ctx.actor)),
  }),

  listOwnWebhookAttempts: async ({ params, query, ctx }) => {
    const page = pageOf(query);
    const attempts = await readList((lists) => listAttempts(lists, params.id, page, ctx.actor));
    return { status: 200, body: listBody(attempts, page, attemptBody) };
  },

  listOwnDeadLetters: async ({ params, query, ctx }) => {
    const page = pageOf(query);
    const letters = await readList((lists) => listDeadLetters(lists, params.id, page, ctx.actor));
    return { status: 200, body: listBody(letters, page, summaryBody) };
  },

  getOwnDelivery: async ({ params, ctx }) => ({
    status: 200,
    body: deliveryBody(await getDelivery(db, params.webhook_id, ctx.actor)),
  }),

  getWebhookKeys: async ({ params }) => {
    const keys = (await publicKeysOf(db, params.id)).map(toJwk);
    return { status: 200, body: { keys }, headers: { 'Cache-Control': KEYS_CACHE_CONTROL } };
  },
});
