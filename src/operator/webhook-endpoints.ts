import { type NoKey, omitUndefined } from '../base/every-key.js';
import { checkDestination, type DestinationInput } from '../endpoints/destination.js';
import {
  type Endpoint,
  type EndpointFilters,
  endpointBody,
  getEndpoint,
  listEndpoints,
} from '../endpoints/endpoint-queries.js';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EnableOptions,
  enableEndpoint,
  rotateKeyPair,
  rotateSigningSecret,
  updateEndpoint,
} from '../endpoints/endpoints.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import type { Filters, OperatorDeps, SomeHandlers } from './deps.js';

export const webhookEndpointsHandlers = ({ db, readList, encryptionKeys: keys, destinations }: OperatorDeps) =>
  ({
    createWebhookEndpoint: async ({ body }) => {
      const { user_id: accountId, lanes, catch_up: catchUp = false, url, username, password, ...others } = body;
      others satisfies NoKey;
      const destination = await checkDestination(destinations, { url, username, password });
      return async (trx) => {
        const input = { accountId, destination, catchUp, ...(lanes !== undefined && { lanes }) };
        const { endpoint, signingSecret } = await createEndpoint(trx, keys, input);
        const headers = { ...etagHeader(endpoint), Location: `/operator/v1/webhook-endpoints/${endpoint.id}` };
        return { status: 201, body: { endpoint: endpointBody(endpoint), signing_secret: signingSecret }, headers };
      };
    },

    listWebhookEndpoints: ({ query }) =>
      listReply(query, (page) => readList((replica) => listEndpoints(replica, filtersOf(query), page)), endpointBody),

    getWebhookEndpoint: async ({ params }) => answer(await getEndpoint(db, params.id)),

    updateWebhookEndpoint: async ({ params, body, ctx }) => {
      const { lanes, url, username, password, ...others } = body;
      others satisfies NoKey;
      // A missing endpoint is 404 whatever else is wrong. Check it before the slow look-up of the new address.
      await getEndpoint(db, params.id);
      const destination = await checkDestination(
        destinations,
        omitUndefined<DestinationInput>({ url, username, password }),
      );
      const change = { destination, ...(lanes !== undefined && { lanes }) };
      return async (trx) => answer(await updateEndpoint(trx, keys, params.id, change, ctx.ifMatch));
    },

    deleteWebhookEndpoint:
      async ({ params, ctx }) =>
      async (trx) => {
        await deleteEndpoint(trx, params.id, ctx.ifMatch);
        return { status: 204 };
      },

    enableWebhookEndpoint:
      async ({ params, body: { catch_up: catchUp, ...others } = {} }) =>
      async (trx) => {
        others satisfies NoKey;
        return answer(
          await enableEndpoint(trx, params.id, omitUndefined<EnableOptions>({ catchUp, isOwners: undefined })),
        );
      },

    disableWebhookEndpoint:
      async ({ params }) =>
      async (trx) =>
        answer(await disableEndpoint(trx, params.id)),

    rotateSigningSecret:
      async ({ params }) =>
      async (trx) => {
        const { signingSecret, previousValidUntil: until } = await rotateSigningSecret(trx, keys, params.id);
        return { status: 200, body: { signing_secret: signingSecret, previous_valid_until: until.toISOString() } };
      },

    rotateKeyPair:
      async ({ params }) =>
      async (trx) => {
        const { publicKey, previousValidUntil } = await rotateKeyPair(trx, keys, params.id);
        return { status: 200, body: { public_key: publicKey, previous_valid_until: previousValidUntil.toISOString() } };
      },
  }) satisfies SomeHandlers;

const answer = (endpoint: Endpoint) => ({
  status: 200 as const,
  body: endpointBody(endpoint),
  headers: etagHeader(endpoint),
});

function filtersOf({ user_id, state, trouble, ...others }: Filters<'listWebhookEndpoints'>): EndpointFilters {
  others satisfies NoKey;
  return { accountId: user_id, state, inTrouble: trouble };
}
