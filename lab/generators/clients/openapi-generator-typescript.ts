import * as rest from './A/index.js';
import * as operator from './D/index.js';
import type { Client } from './drive.js';
import { env } from './env.js';

const as = (accessToken?: string) => ({ basePath: env('MALOTE_URL'), ...(accessToken && { accessToken }) });
const restAs = (token: string) => new rest.Configuration(as(token));
const operatorAs = (token: string) => new operator.Configuration(as(token));

export const client: Client = {
  login: (LoginRequest) => new rest.AuthApi(new rest.Configuration(as())).login({ LoginRequest }),
  createProduct: (token, ProductInput) => new rest.ProductsApi(restAs(token)).createProduct({ ProductInput }),
  createOrder: (token, OrderCreate) => new rest.OrdersApi(restAs(token)).createOrder({ OrderCreate }),
  listOrders: (token) => new rest.OrdersApi(restAs(token)).listOrders({ page_size: 1 }),
  getOrder: (token, id) => new rest.OrdersApi(restAs(token)).getOrder({ id }),
  missingOrder: async (token, id) => {
    const error: unknown = await new rest.OrdersApi(restAs(token)).getOrder({ id }).catch((reason: unknown) => reason);
    return error instanceof rest.ResponseError ? (await error.response.json()).error.code : undefined;
  },
  getLabel: (token, loggi_key) => new rest.PackagesApi(restAs(token)).getPackageLabel({ loggi_key }),
  recordMovement: async (token, movement) => {
    const MovementBatch = { movements: [movement] };
    return (await new operator.MovementsApi(operatorAs(token)).recordMovements({ MovementBatch })).results[0]?.result;
  },
  putPhoto: (token, loggi_key, body) =>
    new operator.ProofOfDeliveryApi(operatorAs(token)).putProofPhoto({ loggi_key, body }),
  sendAllNow: (token) => new operator.DeliveriesApi(operatorAs(token)).sendNow({ SendNowRequest: { all: true } }),
};
