import type { GraphQLSchema } from 'graphql';
import type { CreateOrderInput } from '../../generated/graphql.js';
import { type FieldError, invalid, ServiceError } from '../base/errors.js';
import { checkEarly, type PlannedOrder, planOrder } from '../orders/plan-order.js';
import { inputCheck, withoutRefused } from './constraints.js';
import type { GraphqlDeps } from './context.js';
import { toFieldError, toInput } from './order-input.js';

/** Decides about an order, with every wrong field at once when it throws `VALIDATION_ERROR`. */
export type PlanInput = (accountId: string, input: CreateOrderInput) => Promise<PlannedOrder>;

/** What the contract's constraints refuse and what the domain refuses are reported together, once for each field; no other service is asked then. */
export function orderPlanner(deps: GraphqlDeps, schema: GraphQLSchema): PlanInput {
  const check = inputCheck(schema, 'CreateOrderInput');
  return async (accountId, input) => {
    const misshapen = check(input, '');
    const paths = new Set(misshapen.map(({ field }) => field));
    // The domain counts on lists of the right size.
    if (paths.has('pickups') || paths.has('packages')) throw invalid(misshapen);
    if (misshapen.length === 0) return planOrder(deps, accountId, toInput(input)).catch(inContractNames);
    const rest = toInput(withoutRefused(input, misshapen));
    const others = await checkEarly(deps, accountId, rest).then(() => [], faultsOf);
    throw invalid([...misshapen, ...others.filter(({ field }) => !paths.has(field))]);
  };
}

function inContractNames(error: unknown): never {
  if (!namesFields(error)) throw error;
  throw new ServiceError(error.code, error.message, {
    details: faultsOf(error),
    isPartial: error.isPartial,
    headers: error.headers,
  });
}

/** The wrong fields of a refused order; throws what is no refusal. */
function faultsOf(error: unknown): FieldError[] {
  if (!namesFields(error)) throw error;
  return error.details.map(toFieldError);
}

/** Whether an error is about fields of the input, which belongs into the result. */
export function namesFields(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && ['VALIDATION_ERROR', 'CONFLICT'].includes(error.code) && error.details.length > 0
  );
}
