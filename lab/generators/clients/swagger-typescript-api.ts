import { Api as Rest } from './A/client.js';
import { Api as Operator } from './D/client.js';
import type { Client } from './drive.js';
import { env } from './env.js';

const settings = (token: string) => ({
  baseUrl: env('MALOTE_URL'),
  baseApiParams: { headers: { Authorization: `Bearer ${token}` } },
});
const rest = (token: string) => new Rest(settings(token)).api;
const operator = (token: string) => new Operator(settings(token)).operator;

export const client: Client = {
  login: async (login) => (await new Rest({ baseUrl: env('MALOTE_URL') }).auth.login(login)).data,
  createProduct: async (token, product) => (await rest(token).createProduct(product)).data,
  createOrder: async (token, order) => (await rest(token).createOrder(order)).data,
  listOrders: async (token) => (await rest(token).listOrders({ page_size: 1 })).data,
  getOrder: async (token, id) => (await rest(token).getOrder(id)).data,
  missingOrder: (token, id) =>
    rest(token)
      .getOrder(id)
      .then(
        () => undefined,
        ({ error }) => error.error.code,
      ),
  getLabel: async (token, loggi_key) => (await rest(token).getPackageLabel(loggi_key, {}, { format: 'blob' })).data,
  recordMovement: async (token, movement) =>
    (await operator(token).recordMovements({ movements: [movement] })).data.results[0]?.result,
  // It makes JSON of bytes.
  putPhoto: async (token, loggi_key, body) => {
    const headers = { Authorization: `Bearer ${token}` };
    const at = `${env('MALOTE_URL')}/operator/v1/packages/${loggi_key}/proof/photo`;
    const { status } = await fetch(at, { method: 'PUT', headers, body });
    if (status !== 204) throw new Error(`the photo was answered ${status}`);
  },
  sendAllNow: async (token) => (await operator(token).sendNow({ all: true })).data,
};
