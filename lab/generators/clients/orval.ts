import * as rest from './A/client.js';
import * as operator from './D/client.js';
import type { Client } from './drive.js';

const by = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** Of answers that have one status in common with a success. */
function must<T extends { status: number; data: unknown }, S extends T['status']>(
  answer: T,
  status: S,
): Extract<T, { status: S }>['data'] {
  if (answer.status !== status) throw new Error(JSON.stringify(answer.data));
  return answer.data as Extract<T, { status: S }>['data'];
}

export const client: Client = {
  login: async (login) => must(await rest.login(login), 200),
  createProduct: async (token, product) => must(await rest.createProduct(product, by(token)), 201),
  createOrder: async (token, order) => must(await rest.createOrder(order, by(token)), 201),
  listOrders: async (token) => must(await rest.listOrders({ page_size: 1 }, by(token)), 200),
  getOrder: async (token, id) => must(await rest.getOrder(id, by(token)), 200),
  missingOrder: async (token, id) => must(await rest.getOrder(id, by(token)), 404).error.code,
  getLabel: async (token, loggiKey) => new Blob([must(await rest.getPackageLabel(loggiKey, {}, by(token)), 200)]),
  recordMovement: async (token, movement) =>
    must(await operator.recordMovements({ movements: [movement] }, by(token)), 200).results[0]?.result,
  putPhoto: async (token, loggiKey, photo) => {
    must(await operator.putProofPhoto(loggiKey, photo, by(token)), 204);
  },
  sendAllNow: async (token) => must(await operator.sendNow({ all: true }, by(token)), 202),
};
