import { accountSeenBy } from '../base/actor.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { spendBudget } from '../endpoints/budgets.js';
import { endpointBody, getEndpoint, listEndpoints, publicKeysOf } from '../endpoints/endpoint-queries.js';
import { type EnableOptions, enableEndpoint } from '../endpoints/endpoints.js';
import { toJwk } from '../endpoints/key-pairs.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import {
  attemptBody,
  deliveryBody,
  getDelivery,
  listAttempts,
  listDeadLetters,
  summaryBody,
} from '../queue/delivery-queries.js';
import { type ReplaySelection, replayDeliveries, replayRange, testEndpoint } from '../queue/replay.js';
import type { RestDeps, Schemas, SomeHandlers } from './deps.js';

// Much shorter than the time for which both keys of a rotation are used.
const KEYS_CACHE_CONTROL = 'public, max-age=300';

/** Limits of one replay by an account: number of bodies, and days of the range. */
const MAX_REPLAYED = 10_000;
const MAX_REPLAY_DAYS = 31;

/** Lets an account read, test, replay and enable its endpoints. Only the operator registers and changes them. */
export const webhooksHandlers = ({ db, readList }: RestDeps) =>
  ({
    testOwnWebhookEndpoint: async ({ params, ctx }) => {
      const { id } = await getEndpoint(db, params.id, ctx.actor);
      return async (trx) => {
        await spendBudget(trx, id, 'test');
        return { status: 202, body: deliveryBody(await testEndpoint(trx, id)) };
      };
    },

    replayOwnDeliveries: async ({ params, body, ctx }) => {
      const { id } = await getEndpoint(db, params.id, ctx.actor);
      const selection = selectionOf(body);
      return async (trx) => {
        await spendBudget(trx, id, 'replay');
        const queued = await replayDeliveries(trx, id, selection, { maxBodies: MAX_REPLAYED });
        const { catchUpCount } = await getEndpoint(trx, id);
        return { status: 202, body: { queued, catch_up_count: catchUpCount > 0 ? catchUpCount : undefined } };
      };
    },

    enableOwnWebhookEndpoint: async ({ params, body: { catch_up: catchUp, ...others } = {}, ctx }) => {
      others satisfies NoKey;
      const { id } = await getEndpoint(db, params.id, ctx.actor);
      return async (trx) => {
        await spendBudget(trx, id, 'enable');
        const endpoint = await enableEndpoint(trx, id, omitUndefined<EnableOptions>({ catchUp, isOwners: true }));
        return { status: 200, body: endpointBody(endpoint), headers: etagHeader(endpoint) };
      };
    },

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

/** Reads the range. Throws VALIDATION_ERROR if it ends before it begins, or is too long. */
function selectionOf(body: Schemas['ReplayRequest']): ReplaySelection {
  if ('dead_letters' in body) return 'dead-letters';
  const { from, to, ...others } = body;
  others satisfies NoKey;
  return replayRange(new Date(from), new Date(to), MAX_REPLAY_DAYS);
}
