import type { CreateOrderInput, CreateOrderPayload, EstimateOrderPayload } from '../../generated/graphql.js';
import type { Db } from '../db/connect.js';
import { earlierAnswer, fingerprintOf, idempotencyKey, once, type Scope } from '../http/idempotency.js';
import { placeOrder } from '../orders/place-order.js';
import type { PlannedOrder } from '../orders/plan-order.js';
import type { CodeSource } from '../packages/codes.js';
import { actorIn, type Context, type GraphqlDeps } from './context.js';
import { toEstimate, toOrder } from './order-types.js';
import { namesFields, type PlanInput } from './plan.js';

/**
 * Creates an order, or says in the result what is wrong with it. Under an Idempotency-Key the first result is kept and
 * given again for the same input, whatever is selected of it. Throws `IDEMPOTENCY_KEY_REUSED` and `CONFLICT` as `once` does.
 */
export async function createOrder(
  { db, codes, encryptionKeys: keys }: GraphqlDeps,
  plan: PlanInput,
  input: CreateOrderInput,
  context: Context,
): Promise<CreateOrderPayload> {
  const { accountId } = actorIn(context);
  const key = idempotencyKey(context.idempotencyKey);
  const decide = () => plan(accountId, input);
  try {
    if (key === undefined) return await place(db, await decide(), codes);
    const scope = {
      accountId,
      operation: 'createOrder',
      key,
      door: 'graphql',
      keys,
      fingerprint: fingerprintOf(input),
    };
    return await placeOnce({ db, codes }, scope, decide, context);
  } catch (error) {
    if (!namesFields(error)) throw error;
    context.addHeaders(error.headers);
    return { success: false, orders: [], errors: context.listed(error) };
  }
}

async function place(db: Db, planned: PlannedOrder, codes: CodeSource): Promise<CreateOrderPayload> {
  return { success: true, orders: [toOrder(await placeOrder(db, planned, codes))], errors: [] };
}

/** Decides outside the transaction, places inside the one that keeps the result; a refusal is a result too. */
async function placeOnce(
  { db, codes }: Pick<GraphqlDeps, 'db' | 'codes'>,
  scope: Scope,
  decide: () => Promise<PlannedOrder>,
  { addHeaders }: Context,
): Promise<CreateOrderPayload> {
  const work = async () =>
    decide().then(
      (planned) => (trx: Db) => place(trx, planned, codes),
      (error: unknown) => () => Promise.reject(error),
    );
  const earlier = await earlierAnswer<CreateOrderPayload>(db, scope);
  const { answer, replayed } = earlier ?? (await once(db, scope, await work()));
  if (replayed) addHeaders({ 'Idempotent-Replayed': 'true' });
  return answer;
}

/** What `createOrder` would answer; writes nothing. */
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
