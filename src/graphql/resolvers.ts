import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type {
  Branding,
  CancelOrderPayload,
  Package as ContractPackage,
  Order,
  OrderConnection,
  OrderFilter,
  QueryOrdersArgs,
  RootResolvers,
} from '../../generated/graphql.js';
import { getAccount, rotateApiKey } from '../accounts/account.js';
import { type Brand, getBrand } from '../accounts/brand.js';
import { paymentMethods } from '../accounts/payment-methods.js';
import type { Actor } from '../base/actor.js';
import { shownColours } from '../base/colours.js';
import { type ErrorCode, invalid, notFound, ServiceError } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import type { OrderFilters } from '../orders/list-orders.js';
import { getOrder } from '../orders/order.js';
import { ordersAfter } from '../orders/orders-after.js';
import { setOrderStatus } from '../orders/set-status.js';
import { getPackage, getTrackedPackage, keysOfCode, orderIdsOf } from '../packages/queries.js';
import { write } from './audit.js';
import { inputCheck } from './constraints.js';
import { actorIn, type Context, extrasFor, type GraphqlDeps } from './context.js';
import { coverage } from './coverage.js';
import { createOrder, estimateOrder, orderPlanner } from './create-order.js';
import { codeOfRecord } from './errors.js';
import { toFact } from './order-input.js';
import { partsOf, toOrder, toPackage } from './order-types.js';
import { packageMutations } from './package-changes.js';
import { quoteResolver } from './quote.js';
import { rateCard } from './rate-card.js';
import { requestQueries } from './requests.js';
import { type Fragments, namesBelow, packageLists, selectsHistory } from './selections.js';

/** Resolves root fields to complete values, so that no field below them needs a query. */
export function rootResolvers(deps: GraphqlDeps, schema: GraphQLSchema): RootResolvers<Context> {
  const { db, identity } = deps;
  const plan = orderPlanner(deps, schema);
  const quotePackages = quoteResolver(deps, schema);
  const filterCheck = inputCheck(schema, 'OrderFilter');
  return {
    Query: {
      me: async (_parent, _args, context) => {
        const actor = actorIn(context);
        const account = await getAccount(db, actor, actor.accountId);
        if (!account) throw notFound('account');
        const { id: pk, email, name, phone, taxId } = account;
        return { pk, email, name, phone, taxId };
      },
      order: (_parent, { pk }, context) => oneOrder(deps, actorIn(context), pk),
      orderByExternalId: async (_parent, { externalId }, context) => {
        const actor = actorIn(context);
        // An operator, too, finds only an order of their own account here.
        const [id = ''] = await orderIdsOf(db, { ...actor, role: 'customer' }, externalId);
        return oneOrder(deps, actor, id);
      },
      orders: async (_parent, { first, after = null, filter = null }, context, info) => {
        const errors = filterCheck(filter, 'filter');
        if (errors.length > 0) throw invalid(errors);
        return orderConnection(deps, actorIn(context), { first, after, filter }, info);
      },
      package: (_parent, { loggiKey }, context, info) => onePackage(deps, actorIn(context), loggiKey, info),
      packageByTrackingCode: async (_parent, { trackingCode }, context, info) => {
        const actor = actorIn(context);
        const [key = ''] = await keysOfCode(db, 'tracking_code', trackingCode);
        return onePackage(deps, actor, key, info);
      },
      paymentMethods: async (_parent, _args, context) => {
        const methods = await paymentMethods(db, actorIn(context).accountId);
        return methods.map(({ id, kind, label }) => ({ id, kind, label }));
      },
      estimateOrder: (_parent, { input }, context) => estimateOrder(plan, input, context),
      quote: (_parent, { input }, context) => quotePackages(actorIn(context).accountId, input),
      rateCard: (_parent, _args, context) => rateCard(db, actorIn(context).accountId),
      branding: async (_parent, _args, context) => toBranding(await getBrand(db, actorIn(context).accountId)),
      ...requestQueries(deps),
      coverage: (_parent, args, context) => coverage(deps, actorIn(context).accountId, args),
    },
    Mutation: {
      login: async (_parent, { input: { email, password, code, ...others } }, { ip }) => {
        others satisfies NoKey;
        const account = await identity.apiLogin(email, password, ip, code ?? undefined);
        return { user: account && { apiKey: account.apiKey, email: account.email, name: account.name } };
      },
      createOrder: (_parent, { input }, context) => createOrder(deps, plan, input, context),
      cancelOrder: (_parent, { pk }, context) => cancelOrder(deps, context, pk),
      rotateApiKey: async (_parent, { overlapSeconds }, context) => {
        const { accountId } = actorIn(context);
        await write(db, context, (trx) => rotateApiKey(trx, accountId, overlapSeconds));
        return { apiKey: await identity.apiKeyOf(accountId) };
      },
      ...packageMutations(deps, schema),
    },
  };
}

function toBranding({ color, logoSize }: Brand): Branding {
  const shown = color === null ? undefined : shownColours(color);
  return { color, lightColor: shown?.light ?? null, darkColor: shown?.dark ?? null, hasLogo: logoSize !== null };
}

async function oneOrder(deps: GraphqlDeps, actor: Actor, pk: string): Promise<Order | null> {
  const order = await getOrder(deps.db, actor, pk);
  return order ? toOrder(order, extrasFor(deps, actor)) : null;
}

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

const fragmentsIn =
  ({ fragments }: Selection): Fragments =>
  (name) =>
    fragments[name]?.selectionSet;

async function onePackage(
  deps: GraphqlDeps,
  actor: Actor,
  loggiKey: string,
  info: Selection,
): Promise<ContractPackage | null> {
  const extras = extrasFor(deps, actor);
  if (!selectsHistory(fragmentsIn(info), [info.fieldNodes])) {
    const ownPackage = await getPackage(deps.db, actor, loggiKey);
    return ownPackage ? toPackage(ownPackage, extras) : null;
  }
  const tracked = await getTrackedPackage(deps.db, actor, loggiKey);
  return tracked ? toPackage(tracked, extras, tracked.trackingHistory) : null;
}

/**
 * Reads a page of orders. Of their packages, only the selected parts are read. Throws `VALIDATION_ERROR` for a wrong
 * cursor.
 */
async function orderConnection(
  deps: GraphqlDeps,
  actor: Actor,
  { first, after, filter }: Required<QueryOrdersArgs>,
  info: Selection,
): Promise<OrderConnection> {
  const fragments = fragmentsIn(info);
  const lists = packageLists(fragments, [info.fieldNodes]);
  const packageParts = lists.length > 0 ? partsOf(namesBelow(fragments, lists)) : undefined;
  const filters = toFilters(filter ?? {});
  const wanted = { first, packageParts, filters, ...(after == null ? {} : { after }) };
  const page = await deps.readList((db) => ordersAfter(db, actor, wanted));
  const extras = extrasFor(deps, actor);
  const edges = page.orders.map((order, at) => ({ cursor: page.cursors[at] ?? '', node: toOrder(order, extras) }));
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

function toFilters(filter: OrderFilter): OrderFilters {
  const { status, createdFrom, createdTo, readyFrom, readyTo, externalId, trackingCode, ...own } = filter;
  const { reference, metadata, ...others } = own;
  others satisfies NoKey;
  return omitUndefined<OrderFilters>({
    status: status ?? undefined,
    createdFrom: createdFrom ?? undefined,
    createdTo: createdTo ?? undefined,
    readyFrom: readyFrom ?? undefined,
    readyTo: readyTo ?? undefined,
    externalId: externalId ?? undefined,
    trackingCode: trackingCode ?? undefined,
    reference: reference ?? undefined,
    metadata: metadata?.length ? Object.fromEntries(metadata.map(toFact)) : undefined,
  });
}

const refusals: readonly ErrorCode[] = ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'];

/** Cancels an order. If that is refused, the result says why. */
async function cancelOrder(deps: GraphqlDeps, context: Context, pk: string): Promise<CancelOrderPayload> {
  const actor = actorIn(context);
  const { traceparent } = context.origin;
  try {
    const order = await write(deps.db, context, (trx) => setOrderStatus(trx, actor, pk, 'cancelled', { traceparent }));
    return { success: true, order: toOrder(order, extrasFor(deps, actor)), errors: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || !refusals.includes(error.code)) throw error;
    const order = await oneOrder(deps, actor, pk);
    const { code, reason, message } = error;
    const detail = {
      field: 'pk',
      code: codeOfRecord(code),
      message,
      reason,
      orderPk: null,
      total: null,
      firstDate: null,
    };
    return { success: false, order, errors: [detail] };
  }
}
