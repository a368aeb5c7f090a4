import type { NoKey } from '../base/every-key.js';
import { getEndpoint } from '../endpoints/endpoint-queries.js';
import { listReply } from '../http/paging.js';
import {
  attemptBody,
  deliveryBody,
  getDelivery,
  listAttempts,
  listDeadLetters,
  summaryBody,
} from '../queue/delivery-queries.js';
import {
  type ReplaySelection,
  replayDeliveries,
  replayDelivery,
  replayRange,
  type SendNowSelection,
  sendNow,
  testEndpoint,
} from '../queue/replay.js';
import type { OperatorDeps, Schemas, SomeHandlers } from './deps.js';

export const deliveriesHandlers = ({ db, readList }: OperatorDeps) =>
  ({
    testWebhookEndpoint:
      async ({ params }) =>
      async (trx) => ({ status: 202, body: deliveryBody(await testEndpoint(trx, params.id)) }),

    listWebhookAttempts: ({ params, query }) =>
      listReply(query, (page) => readList((replica) => listAttempts(replica, params.id, page)), attemptBody),

    listDeadLetters: ({ params, query }) =>
      listReply(query, (page) => readList((replica) => listDeadLetters(replica, params.id, page)), summaryBody),

    replayDeliveries: async ({ params, body }) => {
      const selection = selectionOf(body);
      return async (trx) => {
        const queued = await replayDeliveries(trx, params.id, selection);
        const { catchUpCount } = await getEndpoint(trx, params.id);
        return { status: 202, body: { queued, catch_up_count: catchUpCount > 0 ? catchUpCount : undefined } };
      };
    },

    getDelivery: async ({ params }) => ({ status: 200, body: deliveryBody(await getDelivery(db, params.webhook_id)) }),

    replayDelivery:
      async ({ params }) =>
      async (trx) => ({ status: 202, body: deliveryBody(await replayDelivery(trx, params.webhook_id)) }),

    sendNow:
      async ({ body }) =>
      async (trx) => ({ status: 202, body: await sendNow(trx, recipientsOf(body)) }),
  }) satisfies SomeHandlers;

function recipientsOf(body: Schemas['SendNowRequest']): SendNowSelection {
  if ('endpoint_id' in body) {
    const { endpoint_id: endpointId, ...others } = body;
    others satisfies NoKey;
    return { endpointId };
  }
  if (!('user_id' in body)) return 'all';
  const { user_id: accountId, ...others } = body;
  others satisfies NoKey;
  return { accountId };
}

/** Reads the range. Throws VALIDATION_ERROR if it ends before it begins. */
function selectionOf(body: Schemas['ReplayRequest']): ReplaySelection {
  if ('dead_letters' in body) return 'dead-letters';
  const { from, to, ...others } = body;
  others satisfies NoKey;
  return replayRange(new Date(from), new Date(to));
}
