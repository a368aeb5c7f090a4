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

test('graphql-request sends the documented call, with values inline or as variables', async () => {
  const graphql = new GraphQLClient(`${service.url}/graphql`, { headers });
  const inline = await graphql.request<Created>(exampleOrder(client.paymentMethod));
  expect(inline.createOrder).toMatchObject({ success: true, errors: [] });
  const variables = await graphql.request<Created>(CREATE_ORDER, { input: anOrder(client.paymentMethod) });
  expect(variables.createOrder).toMatchObject({ success: true, errors: [] });
});

test('graphql-request names the error of a request without credentials', async () => {
  const graphql = new GraphQLClient(`${service.url}/graphql`);
  await expect(graphql.request('{ me { pk } }')).rejects.toMatchObject({
    response: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  });
});

test('urql sends the documented call, with values inline or as variables', async () => {
  const url = `${service.url}/graphql`;
  const urql = new Urql({ url, exchanges: [fetchExchange], fetchOptions: { headers }, preferGetMethod: false });
  const inline = await urql.mutation<Created>(exampleOrder(client.paymentMethod), {});
  expect(inline.error).toBeUndefined();
  expect(inline.data?.createOrder).toMatchObject({ success: true, errors: [] });
  const variables = await urql.mutation<Created>(CREATE_ORDER, { input: anOrder(client.paymentMethod) });
  expect(variables.data?.createOrder).toMatchObject({ success: true, errors: [] });
  const me = await urql.query<{ me: { email: string } }>('{ me { email } }', {});
  expect(me.data?.me.email).toBe(client.caller.email);
});
