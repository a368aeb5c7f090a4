import type { FieldNode } from 'graphql';
import { invalid } from '../base/errors.js';
import { idempotencyKey } from '../http/idempotency/once.js';
import { actorIn, type Context } from './context.js';

/** What anybody may ask for; the schema is published anyway. */
const OPEN = new Set(['login', '__typename', '__schema', '__type']);

/**
 * Decides, before anything runs, whether an operation of these root fields may. Throws `UNAUTHENTICATED` when it needs credentials and there are
 * none, `VALIDATION_ERROR` for an Idempotency-Key that is none or could stand for more than one order.
 */
export function demandPermission(fields: readonly FieldNode[], context: Context): void {
  if (fields.some(({ name }) => !OPEN.has(name.value))) actorIn(context);
  const orders = fields.filter(({ name }) => name.value === 'createOrder');
  if (orders.length === 0 || idempotencyKey(context.idempotencyKey) === undefined) return;
  if (new Set(orders.map(({ alias, name }) => (alias ?? name).value)).size > 1) {
    throw invalid([{ field: 'Idempotency-Key', message: 'can be sent with one createOrder only' }]);
  }
}
