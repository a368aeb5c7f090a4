import createClient from 'openapi-fetch';
import type { paths as RestPaths } from './A/schema.js';
import type { paths as OperatorPaths } from './D/schema.js';
import type { Client } from './drive.js';
import { env } from './env.js';

const withToken = (token: string) => ({ baseUrl: env('MALOTE_URL'), headers: { Authorization: `Bearer ${token}` } });
const rest = (token: string) => createClient<RestPaths>(withToken(token));
const operator = (token: string) => createClient<OperatorPaths>(withToken(token));

function must<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

export const client: Client = {
  login: async (body) => must(await rest('').POST('/auth/login', { body })),
  createProduct: async (token, body) => must(await rest(token).POST('/api/v1/products', { body })),
  createOrder: async (token, body) => must(await rest(token).POST('/api/v1/orders', { body })),
  listOrders: async (token) => must(await rest(token).GET('/api/v1/orders', { params: { query: { page_size: 1 } } })),
  getOrder: async (token, id) => must(await rest(token).GET('/api/v1/orders/{id}', { params: { path: { id } } })),
  missingOrder: async (token, id) =>
    (await rest(token).GET('/api/v1/orders/{id}', { params: { path: { id } } })).error?.error.code,
  getLabel: async (token, loggi_key) =>
    must(
      await rest(token).GET('/api/v1/packages/{loggi_key}/label', { params: { path: { loggi_key } }, parseAs: 'blob' }),
    ),
  recordMovement: async (token, movement) =>
    must(await operator(token).POST('/operator/v1/movements', { body: { movements: [movement] } })).results[0]?.result,
  putPhoto: async (token, loggi_key, photo) => {
    // The generated types describe bytes as text.
    const headers = { 'Content-Type': 'application/octet-stream' };
    const sending = { params: { path: { loggi_key } }, headers, body: '', bodySerializer: () => photo };
    const { error } = await operator(token).PUT('/operator/v1/packages/{loggi_key}/proof/photo', sending);
    if (error) throw new Error(JSON.stringify(error));
  },
  sendAllNow: async (token) => must(await operator(token).POST('/operator/v1/send-now', { body: { all: true } })),
};
