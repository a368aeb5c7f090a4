import { isAxiosError } from 'axios';
import * as rest from './A/index.js';
import * as operator from './D/index.js';
import type { Client } from './drive.js';
import { env } from './env.js';

const baseURL = env('MALOTE_URL');
const by = (token: string) => ({ baseURL, headers: { Authorization: `Bearer ${token}` } });

export const client: Client = {
  login: (login) => rest.login(login, { baseURL }),
  createProduct: (token, product) => rest.createProduct(product, {}, by(token)),
  createOrder: (token, order) => rest.createOrder(order, {}, by(token)),
  listOrders: (token) => rest.listOrders({ page_size: 1 }, by(token)),
  getOrder: (token, id) => rest.getOrder(id, {}, by(token)),
  missingOrder: async (token, id) => {
    const error: unknown = await rest.getOrder(id, {}, by(token)).catch((reason: unknown) => reason);
    return isAxiosError(error) ? error.response?.data.error.code : undefined;
  },
  getLabel: async (token, loggiKey) =>
    new Blob([await rest.getPackageLabel(loggiKey, {}, { ...by(token), responseType: 'arraybuffer' })]),
  recordMovement: async (token, movement) =>
    (await operator.recordMovements({ movements: [movement] }, {}, by(token))).results[0]?.result,
  putPhoto: async (token, loggiKey, photo) => void (await operator.putProofPhoto(loggiKey, photo, by(token))),
  sendAllNow: (token) => operator.sendNow({ all: true }, {}, by(token)),
};
