import { expect, test } from '@jest/globals';
import { fetchExchange, Client as Urql } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import type { CreateOrderPayload } from '../../generated/graphql.js';
import { anOrder, CREATE_ORDER, exampleOrder, startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();
const headers: Record<string, string> = { Authorization: `ApiKey ${client.caller.email}:${client.apiKey}` };

interface Created {
  createOrder: Pick<CreateOrderPayload, 'success' | 'errors'>;
}

const url = `${service.url}/graphql`;
const graphql = new GraphQLClient(url, { headers });
const urql = new Urql({ url, exchanges: [fetchExchange], fetchOptions: { headers }, preferGetMethod: false });

test.each<[string, (query: string, variables: object) => Promise<Created | undefined>]>([
  ['graphql-request', (query, variables) => graphql.request<Created>(query, variables)],
  ['urql', async (query, variables) => (await urql.mutation<Created>(query, variables)).data],
])('%s sends the documented call, with values inline or as variables', async (_, send) => {
  const created = { createOrder: { success: true, errors: [] } };
  expect(await send(exampleOrder(client.paymentMethod), {})).toMatchObject(created);
  expect(await send(CREATE_ORDER, { input: anOrder(client.paymentMethod) })).toMatchObject(created);
});

test('urql can read', async () => {
  const me = await urql.query<{ me: { email: string } }>('{ me { email } }', {});
  expect(me.data?.me.email).toBe(client.caller.email);
});

test('graphql-request names the error of a request without credentials', async () => {
  await expect(new GraphQLClient(url).request('{ me { pk } }')).rejects.toMatchObject({
    response: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  });
});
