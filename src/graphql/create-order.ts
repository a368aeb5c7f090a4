import type { CreateOrderInput, CreateOrderPayload, EstimateOrderPayload } from '../../generated/graphql.js';
import { fingerprintOf, idempotencyKey, once } from '../idempotency/once.js';
import type { Order } from '../orders/order.js';
import { actorIn, type Context, extrasFor, type GraphqlDeps, INTERFACE } from './context.js';
import { toEstimate, toOrder } from './order-types.js';
import { namesFields, type PlanInput } from './plan.js';

/** Creates an order, or says in the result what is wrong with it. Throws `IDEMPOTENCY_KEY_REUSED` and `CONFLICT`. */
export async function createOrder(
  deps: GraphqlDeps,
  plan: PlanInput,
  input: CreateOrderInput,
  context: Context,
): Promise<CreateOrderPayload> {
  const { db, placing, encryptionKeys: keys } = deps;
  const actor = actorIn(context);
  const { accountId } = actor;
  const key = idempotencyKey(context.idempotencyKey);
  const toPayload = (order: Order) => ({ success: true, orders: [toOrder(order, extrasFor(deps, actor))], errors: [] });
  const decide = async () => {
    const write = placing.writeOf(await plan(accountId, input), toPayload, context.origin);
    if (write.isSmall) context.freePlace();
    return write;
  };
  try {
    if (key === undefined) return await (await decide()).commit();
    const request = { accountId, operation: 'createOrder', key, interfaceName: INTERFACE };
    const { answer, headers } = await once(db, { ...request, keys, fingerprint: fingerprintOf(input) }, decide);
    context.addHeaders(headers);
    return answer;
  } catch (error) {
    if (!namesFields(error)) throw error;
    context.addHeaders(error.headers);
    return { success: false, orders: [], errors: context.listed(error) };
  }
}

/** Answers as `createOrder` would, and writes nothing. */
export async function estimateOrder(
  plan: PlanInput,
  input: CreateOrderInput,
  context: Context,
): Promise<EstimateOrderPayload> {
  const { accountId } = actorIn(context);
  try {
    return { success: true, estimate: toEstimate(await plan(accountId, input)), errors: [] };
  } catch (error) {
    if (!namesFields(error)) throw error;
    return { success: false, estimate: null, errors: context.listed(error) };
  }
}
