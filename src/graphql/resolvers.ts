import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { CancelOrderPayload, OrderConnection, QueryOrdersArgs, RootResolvers } from '../../generated/graphql.js';
import { getAccount, rotateApiKey } from '../accounts/account.js';
import { paymentMethods } from '../accounts/payment-methods.js';
import type { Actor } from '../base/actor.js';
import { type ErrorCode, notFound, ServiceError } from '../base/errors.js';
import type { Origin } from '../base/tracing.js';
import { getOrder } from '../orders/order.js';
import { ordersAfter } from '../orders/orders-after.js';
import { setOrderStatus } from '../orders/set-status.js';
import { getPackage } from '../packages/queries.js';
import { actorIn, type Context, type GraphqlDeps } from './context.js';
import { createOrder, estimateOrder } from './create-order.js';
import { toOrder, toPackage } from './order-types.js';
import { packageMutations } from './package-changes.js';
import { orderPlanner } from './plan.js';
import { packageLists } from './selections.js';

/**
 * Every root field of the contract; one that is missing does not compile. What they resolve to is whole, so that no field
 * below them has to read anything.
 */
export function rootResolvers(deps: GraphqlDeps, schema: GraphQLSchema): RootResolvers<Context> {
  const { db, identity, trackingLinks } = deps;
  const plan = orderPlanner(deps, schema);
  return {
    Query: {
      me: async (_parent, _args, context) => {
        const actor = actorIn(context);
        const account = await getAccount(db, actor, actor.accountId);
        if (!account) throw notFound('account');
        const { id: pk, email, name, phone } = account;
        return { pk, email, name, phone };
      },
      order: async (_parent, { pk }, context) => {
        const order = await getOrder(db, actorIn(context), pk);
        return order ? toOrder(order, trackingLinks) : null;
      },
      orders: (_parent, { first, after = null }, context, info) =>
        orderConnection(deps, actorIn(context), { first, after }, info),
      package: async (_parent, { loggiKey }, context) => {
        const ownPackage = await getPackage(db, actorIn(context), loggiKey);
        return ownPackage ? toPackage(ownPackage, trackingLinks.urlOf(ownPackage)) : null;
      },
      paymentMethods: async (_parent, _args, context) => {
        const methods = await paymentMethods(db, actorIn(context).accountId);
        return methods.map(({ id, kind, label }) => ({ id, kind, label }));
      },
      estimateOrder: (_parent, { input }, context) => estimateOrder(plan, input, context),
    },
    Mutation: {
      login: async (_parent, { input: { email, password } }, { ip }) => {
        const account = await identity.apiLogin(email, password, ip);
        return { user: account && { apiKey: account.apiKey, email: account.email, name: account.name } };
      },
      createOrder: (_parent, { input }, context) => createOrder(deps, plan, input, context),
      cancelOrder: (_parent, { pk }, context) => cancelOrder(deps, actorIn(context), pk, context.origin),
      rotateApiKey: async (_parent, _args, context) => {
        const { accountId } = actorIn(context);
        await rotateApiKey(db, accountId);
        return { apiKey: await identity.apiKeyOf(accountId) };
      },
      ...packageMutations(deps, schema),
    },
  };
}

/**
 * A page of orders as a Relay connection; their packages are read only when they are selected. Throws `VALIDATION_ERROR` for a
 * wrong cursor.
 */
async function orderConnection(
  { readList, trackingLinks }: GraphqlDeps,
  actor: Actor,
  { first, after }: Required<QueryOrdersArgs>,
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
): Promise<OrderConnection> {
  const withPackages = packageLists((name) => fragments[name]?.selectionSet, [fieldNodes]) > 0;
  const wanted = { first, withPackages, ...(after == null ? {} : { after }) };
  const page = await readList((db) => ordersAfter(db, actor, wanted));
  const edges = page.orders.map((order, at) => ({
    cursor: page.cursors[at] ?? '',
    node: toOrder(order, trackingLinks),
  }));
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
async function cancelOrder(
  { db, trackingLinks }: GraphqlDeps,
  actor: Actor,
  pk: string,
  { traceparent }: Origin,
): Promise<CancelOrderPayload> {
  try {
    const order = await setOrderStatus(db, actor, pk, 'cancelled', { traceparent });
    return { success: true, order: toOrder(order, trackingLinks), errors: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || !refusals.includes(error.code)) throw error;
    const order = await getOrder(db, actor, pk);
    const present = order ? toOrder(order, trackingLinks) : null;
    return { success: false, order: present, errors: [{ field: 'pk', message: error.message }] };
  }
}
