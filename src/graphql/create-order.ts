import type { GraphQLSchema } from 'graphql';
import type { CreateOrderInput, CreateOrderPayload, EstimateOrderPayload } from '../../generated/graphql.js';
import { type FieldError, invalid, ServiceError } from '../base/errors.js';
import { fingerprintOf, idempotencyKey, once } from '../idempotency/once.js';
import type { Order, OrderInput } from '../orders/order.js';
import { checkEarly, type PlanOrderDeps, estimateOrder as planEstimate, planOrder } from '../orders/plan-order.js';
import { withEntry } from './audit.js';
import { inputCheck, withoutRefused } from './constraints.js';
import { actorIn, type Context, extrasFor, type GraphqlDeps, INTERFACE } from './context.js';
import { toOrderInput } from './order-input.js';
import { toEstimate, toFieldError, toOrder } from './order-types.js';

/** Plans an order. Throws `VALIDATION_ERROR` with every wrong field at once. */
type PlanInput = <P>(plan: Planner<P>, accountId: string, input: CreateOrderInput) => Promise<P>;

type Planner<P> = (deps: PlanOrderDeps, accountId: string, input: OrderInput) => Promise<P>;

/** Creates an order. Wrong fields are listed in the result. Throws `IDEMPOTENCY_KEY_REUSED` and `CONFLICT`. */
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
    const planned = await plan(planOrder, accountId, input);
    const write = withEntry(context, placing.writeOf(planned, toPayload, context.origin));
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

/** Answers like `createOrder`, but writes nothing. */
export async function estimateOrder(
  plan: PlanInput,
  input: CreateOrderInput,
  context: Context,
): Promise<EstimateOrderPayload> {
  const { accountId } = actorIn(context);
  try {
    return { success: true, estimate: toEstimate(await plan(planEstimate, accountId, input)), errors: [] };
  } catch (error) {
    if (!namesFields(error)) throw error;
    return { success: false, estimate: null, errors: context.listed(error) };
  }
}

/**
 * Reports the errors of the contract's constraints and of the domain together, each field once. If a constraint refuses
 * something, no other service is called.
 */
export function orderPlanner(deps: GraphqlDeps, schema: GraphQLSchema): PlanInput {
  const check = inputCheck(schema, 'CreateOrderInput');
  return async (plan, accountId, input) => {
    const errors = check(input, '');
    const fields = new Set(errors.map(({ field }) => field));
    // The domain needs lists of the right size.
    if (['pickups', 'packages', 'metadata'].some((list) => fields.has(list))) throw invalid(errors);
    if (errors.length === 0) return plan(deps, accountId, toOrderInput(input)).catch(inContractNames);
    const rest = toOrderInput(withoutRefused(input, errors));
    const domainErrors = await checkEarly(deps, accountId, rest).then(() => [], fieldErrorsOf);
    // The domain saw a blank instead of a refused value, so its errors about anything around that value are dropped.
    const isJudged = ({ field }: FieldError) => !errors.some((each) => `${each.field}.`.startsWith(`${field}.`));
    throw invalid([...errors, ...domainErrors.filter(isJudged)]);
  };
}

function inContractNames(error: unknown): never {
  if (!namesFields(error)) throw error;
  const { code, reason, message, isPartial, headers } = error;
  throw new ServiceError(code, reason, message, { details: fieldErrorsOf(error), isPartial, headers });
}

/** The field errors of a refused order. Throws any other error again. */
function fieldErrorsOf(error: unknown): FieldError[] {
  if (!namesFields(error)) throw error;
  return error.details.map(toFieldError);
}

/** True for an error about fields of the input. Such an error belongs in the result. */
function namesFields(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  return ['VALIDATION_ERROR', 'CONFLICT'].includes(error.code) && error.details.length > 0;
}
