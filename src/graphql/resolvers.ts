import type { GraphQLSchema } from 'graphql';
import type { RootResolvers } from '../../generated/graphql.js';
import { getAccount, rotateApiKey } from '../accounts/account.js';
import { paymentMethods } from '../accounts/payment-methods.js';
import { notFound } from '../base/errors.js';
import { getOrder } from '../orders/queries.js';
import { getPackage } from '../packages/queries.js';
import { actorIn, type Context, type GraphqlDeps } from './context.js';
import { createOrder, estimateOrder } from './create-order.js';
import { toOrder, toPackage } from './order-types.js';
import { cancelOrder, orderConnection } from './orders.js';
import { orderPlanner } from './plan.js';

/**
 * Every root field of the contract; one that is missing does not compile. What they resolve to is whole, so that no field
 * below them has to read anything.
 */
export function rootResolvers(deps: GraphqlDeps, schema: GraphQLSchema): RootResolvers<Context> {
  const { db, identity } = deps;
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
        return order ? toOrder(order) : null;
      },
      orders: (_parent, { first, after = null }, context, info) =>
        orderConnection(db, actorIn(context), { first, after }, info),
      package: async (_parent, { loggiKey }, context) => {
        const parcel = await getPackage(db, actorIn(context), loggiKey);
        return parcel ? toPackage(parcel) : null;
      },
      paymentMethods: async (_parent, _args, context) => {
        const methods = await paymentMethods(db, actorIn(context).accountId);
        return methods.map(({ id, kind, label }) => ({ id, kind, label }));
      },
      estimateOrder: (_parent, { input }, context) => estimateOrder(plan, input, context),
    },
    Mutation: {
      login: async (_parent, { input: { email, password } }, { ip }) => {
        const found = await identity.apiLogin(email, password, ip);
        return { user: found && { apiKey: found.apiKey, email: found.email, name: found.name } };
      },
      createOrder: (_parent, { input }, context) => createOrder(deps, plan, input, context),
      cancelOrder: (_parent, { pk }, context) => cancelOrder(db, actorIn(context), pk),
      rotateApiKey: async (_parent, _args, context) => {
        const { accountId } = actorIn(context);
        await rotateApiKey(db, accountId);
        return { apiKey: await identity.apiKeyOf(accountId) };
      },
    },
  };
}
