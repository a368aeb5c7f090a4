import type { OrderStatus } from '../db/tables.js';

/**
 * An order's status from the stages that its packages are in (contracts/guides/behaviour.md#orders-packages-states). Cancelled packages count only when
 * there are no others. It is completed when all the others are; else it is where the foremost of those still on their way
 * is, and no longer `created` once one has arrived.
 */
export function deriveStatus(stages: readonly OrderStatus[]): OrderStatus {
  const counted = stages.filter((stage) => stage !== 'cancelled');
  if (counted.length === 0) return 'cancelled';
  if (counted.every((stage) => stage === 'completed')) return 'completed';
  if (counted.includes('out_for_delivery')) return 'out_for_delivery';
  return counted.every((stage) => stage === 'created') ? 'created' : 'processing';
}
