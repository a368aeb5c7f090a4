import * as rest from './A/index.js';
import * as operator from './D/index.js';
import type { Client } from './drive.js';
import { env } from './env.js';

rest.OpenAPI.BASE = env('MALOTE_URL');
operator.OpenAPI.BASE = env('MALOTE_URL');

/** The token is a setting of all that is generated. */
function using<T extends typeof rest | typeof operator>(api: T, token: string): T {
  api.OpenAPI.TOKEN = token;
  return api;
}

export const client: Client = {
  login: (login) => rest.AuthService.login(login),
  createProduct: (token, product) => using(rest, token).ProductsService.createProduct(product),
  createOrder: (token, order) => using(rest, token).OrdersService.createOrder(order),
  listOrders: (token) => using(rest, token).OrdersService.listOrders(1, 1),
  getOrder: (token, id) => using(rest, token).OrdersService.getOrder(id),
  missingOrder: async (token, id) => {
    const error: unknown = await using(rest, token)
      .OrdersService.getOrder(id)
      .then(undefined, (reason: unknown) => reason);
    return error instanceof rest.ApiError ? error.body.error.code : undefined;
  },
  getLabel: async (token, loggiKey) => new Blob([await using(rest, token).PackagesService.getPackageLabel(loggiKey)]),
  recordMovement: async (token, movement) =>
    (await using(operator, token).MovementsService.recordMovements({ movements: [movement] })).results[0]?.result,
  putPhoto: (token, loggiKey, photo) => using(operator, token).ProofOfDeliveryService.putProofPhoto(loggiKey, photo),
  sendAllNow: (token) => using(operator, token).DeliveriesService.sendNow({ all: true }),
};
