import { notFound } from '../base/errors.js';
import { etagOf } from '../http/conditional.js';
import { listBody, pageOf } from '../http/paging.js';
import { listOrders } from '../orders/list-orders.js';
import { getOrder } from '../orders/order.js';
import { placeOrder } from '../orders/place-order.js';
import { planOrder } from '../orders/plan-order.js';
import { setOrderStatus } from '../orders/set-status.js';
import type { RestDeps, RestHandlers } from './deps.js';
import { toFilters, toInput, toOrder, toSummary } from './order-bodies.js';

type OrderOperation = 'createOrder' | 'listOrders' | 'getOrder' | 'updateOrderStatus';

export const ordersHandlers = (deps: RestDeps): RestHandlers<OrderOperation> => ({
  createOrder: async ({ body, ctx }) => {
    const planned = await planOrder(deps, ctx.actor.accountId, toInput(body));
    return async (trx) => {
      const order = await placeOrder(trx, planned, deps.codes);
      const headers = { ...tag(order), Location: `/api/v1/orders/${order.id}` };
      return { status: 201, body: toOrder(order), headers };
    };
  },

  listOrders: async ({ query, ctx }) => {
    const page = pageOf(query);
    return {
      status: 200,
      body: listBody(await listOrders(deps.db, ctx.actor, toFilters(query), page), page, toSummary),
    };
  },

  getOrder: async ({ params, ctx }) => {
    const order = await getOrder(deps.db, ctx.actor, params.id);
    if (!order) throw notFound('order');
    return { status: 200, body: toOrder(order), headers: tag(order) };
  },

  updateOrderStatus: async ({ params, body, ctx }) => {
    const order = await setOrderStatus(deps.db, ctx.actor, params.id, body.status, ctx.ifMatch);
    return { status: 200, body: toOrder(order), headers: tag(order) };
  },
});

const tag = ({ version }: { version: number }) => ({ ETag: etagOf(version) });
