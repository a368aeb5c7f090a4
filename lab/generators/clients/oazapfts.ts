import { HttpError } from '@oazapfts/runtime';
import * as rest from './A/client.js';
import * as operator from './D/client.js';
import type { Client } from './drive.js';
import { env } from './env.js';

rest.defaults.baseUrl = env('MALOTE_URL');
operator.defaults.baseUrl = env('MALOTE_URL');
const by = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

export const client: Client = {
  login: (login) => rest.login(login),
  createProduct: (token, product) => rest.createProduct(product, {}, by(token)),
  createOrder: (token, order) => rest.createOrder(order, {}, by(token)),
  listOrders: (token) => rest.listOrders({ pageSize: 1 }, by(token)),
  getOrder: async (token, id) => rest.getOrder(id, {}, by(token)) as Promise<rest.Order>,
  missingOrder: async (token, id) => {
    const error: unknown = await rest.getOrder(id, {}, by(token)).catch((reason: unknown) => reason);
    return error instanceof HttpError ? error.data.error.code : undefined;
  },
  getLabel: async (token, loggiKey) => new Blob([await rest.getPackageLabel(loggiKey, {}, by(token))]),
  recordMovement: async (token, movement) =>
    (await operator.recordMovements({ movements: [movement] }, {}, by(token))).results[0]?.result,
  putPhoto: async (token, loggiKey, photo) => void (await operator.putProofPhoto(loggiKey, photo, by(token))),
  sendAllNow: (token) => operator.sendNow({ all: true }, {}, by(token)),
};
