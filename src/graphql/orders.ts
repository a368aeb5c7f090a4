import type { GraphQLResolveInfo } from 'graphql';
import type { CancelOrderPayload, OrderConnection, QueryOrdersArgs } from '../../generated/graphql.js';
import type { Actor } from '../base/actor.js';
import { type ErrorCode, ServiceError } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { getOrder } from '../orders/order.js';
import { ordersAfter } from '../orders/orders-after.js';
import { setOrderStatus } from '../orders/set-status.js';
import { toOrder } from './order-types.js';
import { packageLists } from './repetition.js';

/**
 * A page of orders as a Relay connection; their packages are read only when they are selected. Throws `VALIDATION_ERROR` for a
 * wrong cursor.
 */
export async function orderConnection(
  db: Db,
  actor: Actor,
  { first, after }: Required<QueryOrdersArgs>,
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
): Promise<OrderConnection> {
  const withPackages = packageLists((name) => fragments[name]?.selectionSet, [fieldNodes]) > 0;
  const page = await ordersAfter(db, actor, { first, withPackages, ...(after == null ? {} : { after }) });
  const edges = page.orders.map((order, at) => ({ cursor: page.cursors[at] ?? '', node: toOrder(order) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

const refusals: readonly ErrorCode[] = ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'];

/** Cancels an order, or says in the result why not. */
export async function cancelOrder(db: Db, actor: Actor, pk: string): Promise<CancelOrderPayload> {
  try {
    return { success: true, order: toOrder(await setOrderStatus(db, actor, pk, 'cancelled')), errors: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || !refusals.includes(error.code)) throw error;
    const order = await getOrder(db, actor, pk);
    return { success: false, order: order ? toOrder(order) : null, errors: [{ field: 'pk', message: error.message }] };
  }
}
