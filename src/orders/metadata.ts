import type { FieldError } from '../base/errors.js';
import type { Metadata, OrderInput } from './order.js';

/** Checks the account's own facts about an order. The contracts cannot express all of these bounds. */

const KEY = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]{0,39}$/u;
const MAX_BYTES = 4_096;

/** Checks metadata. A fact without a value counts as left out. The value is null if no fact is left. */
export function checkMetadata(facts: OrderInput['metadata'] = []): { value?: Metadata | null; errors: FieldError[] } {
  const error = faultOf(facts);
  if (error) return { errors: [{ field: 'metadata', ...error }] };
  const given = facts.filter(([, value]) => value !== '');
  return { value: given.length === 0 ? null : Object.fromEntries(given), errors: [] };
}

/** The error of the facts. Messages do not repeat a key, because a key may be any text. */
function faultOf(facts: NonNullable<OrderInput['metadata']>): Omit<FieldError, 'field'> | undefined {
  const keys = facts.map(([key]) => key);
  if (!keys.every((key) => KEY.test(key))) {
    const form = '1 to 40 letters, digits, dots, hyphens and underscores, beginning with a letter or digit';
    return { code: 'pattern', message: `must have keys of ${form}` };
  }
  if (new Set(keys).size < keys.length) return { code: 'duplicate', message: 'has a key more than once' };
  const bytes = facts.reduce((sum, fact) => sum + Buffer.byteLength(fact.join('')), 0);
  if (bytes <= MAX_BYTES) return undefined;
  return { code: 'too_long', message: `must have at most ${MAX_BYTES} bytes in all keys and values` };
}
