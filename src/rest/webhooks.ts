import { accountSeenBy } from '../base/actor.js';
import {
  attemptBody,
  deliveryBody,
  getDelivery,
  listAttempts,
  listDeadLetters,
  summaryBody,
} from '../deliveries/delivery-queries.js';
import { endpointBody, getEndpoint, listEndpoints } from '../deliveries/endpoint-queries.js';
import { listBody, pageOf } from '../http/paging.js';
import type { RestDeps, RestHandlers } from './deps.js';

type WebhookOperation =
  | 'listOwnWebhookEndpoints'
  | 'getOwnWebhookEndpoint'
  | 'listOwnWebhookAttempts'
  | 'listOwnDeadLetters'
  | 'getOwnDelivery';

/** What an account sees of its webhooks; whatever changes them is the operator's. */
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
});
