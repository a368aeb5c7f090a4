import type { GraphQLSchema } from 'graphql';
import type { CreateOrderInput } from '../../generated/graphql.js';
import { type FieldError, invalid, ServiceError } from '../base/errors.js';
import { checkEarly, type PlannedOrder, planOrder } from '../orders/plan-order.js';
import { inputCheck, withoutRefused } from './constraints.js';
import type { GraphqlDeps } from './context.js';
import { toFieldError, toOrderInput } from './order-types.js';

/** Plans an order. Throws `VALIDATION_ERROR` with every wrong field at once. */
export type PlanInput = (accountId: string, input: CreateOrderInput) => Promise<PlannedOrder>;

/**
 * Reports refusals of the contract's constraints and of the domain together, each field once. When the constraints
 * refuse something, no other service is called.
 */
export function orderPlanner(deps: GraphqlDeps, schema: GraphQLSchema): PlanInput {
  const check = inputCheck(schema, 'CreateOrderInput');
  return async (accountId, input) => {
    const errors = check(input, '');
    const fields = new Set(errors.map(({ field }) => field));
    // The domain counts on lists of the right size.
    if (fields.has('pickups') || fields.has('packages')) throw invalid(errors);
    if (errors.length === 0) return planOrder(deps, accountId, toOrderInput(input)).catch(inContractNames);
    const rest = toOrderInput(withoutRefused(input, errors));
    const domainErrors = await checkEarly(deps, accountId, rest).then(() => [], fieldErrorsOf);
    throw invalid([...errors, ...domainErrors.filter(({ field }) => !fields.has(field))]);
  };
}

function inContractNames(error: unknown): never {
  if (!namesFields(error)) throw error;
  const { code, message, reason, isPartial, headers } = error;
  throw new ServiceError(code, message, { reason, details: fieldErrorsOf(error), isPartial, headers });
}

/** The field errors of a refused order; throws any other error. */
function fieldErrorsOf(error: unknown): FieldError[] {
  if (!namesFields(error)) throw error;
  return error.details.map(toFieldError);
}

/** True of an error about fields of the input, which belongs in the result. */
export function namesFields(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  return ['VALIDATION_ERROR', 'CONFLICT'].includes(error.code) && error.details.length > 0;
}
