import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  type Product,
  type ProductInput,
  updateProduct,
} from '../products/products.js';
import type { Bodies, RestDeps, Schemas, SomeHandlers } from './deps.js';
import { toDimensions } from './order-input.js';

export const productsHandlers = ({ db, readList }: RestDeps) =>
  ({
    createProduct: async ({ body, ctx }) => {
      const input = toInput(body);
      return async (trx) => {
        const product = await createProduct(trx, ctx.actor.accountId, input);
        const headers = { ...etagHeader(product), Location: `/api/v1/products/${product.id}` };
        return { status: 201, body: toProduct(product), headers };
      };
    },

    listProducts: ({ query, ctx }) =>
      listReply(query, (page) => readList((replica) => listProducts(replica, ctx.actor, query, page)), toProduct),

    getProduct: async ({ params, ctx }) => {
      const product = await getProduct(db, ctx.actor, params.id);
      if (!product) throw notFound('product');
      return { status: 200, body: toProduct(product), headers: etagHeader(product) };
    },

    updateProduct: async ({ params, body, ctx }) => {
      const input = toInput(body);
      return async (trx) => {
        const product = await updateProduct(trx, ctx.actor, params.id, input, ctx.ifMatch);
        return { status: 200, body: toProduct(product), headers: etagHeader(product) };
      };
    },

    deleteProduct:
      async ({ params, ctx }) =>
      async (trx) => {
        await deleteProduct(trx, ctx.actor, params.id, ctx.ifMatch);
        return { status: 204 };
      },
  }) satisfies SomeHandlers;

const toProduct = (product: Product): Bodies['Product'] => ({
  id: product.id,
  user_id: product.account_id,
  sku: product.sku,
  name: product.name,
  description: product.description,
  price: formatMoney(Number(product.price_centavos)),
  dimensions: { width: product.width, height: product.height, length: product.length, weight: product.weight },
  created_at: product.created_at.toISOString(),
  updated_at: product.updated_at.toISOString(),
});

function toInput({ sku, name, description, price, dimensions, ...others }: Schemas['ProductInput']): ProductInput {
  others satisfies NoKey;
  return { sku, name, description, price: parseMoney(price), dimensions: toDimensions(dimensions) };
}
