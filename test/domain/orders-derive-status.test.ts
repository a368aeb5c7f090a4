import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OrderStatus } from '../../src/db/tables/database.js';
import { deriveStatus } from '../../src/orders/record-movements.js';

const cases: [OrderStatus[], OrderStatus][] = [
  [['created', 'created'], 'created'],
  [['created', 'cancelled'], 'created'],
  [['created', 'processing'], 'processing'],
  [['created', 'completed'], 'processing'],
  [['processing', 'out_for_delivery'], 'out_for_delivery'],
  [['out_for_delivery', 'completed'], 'out_for_delivery'],
  [['completed', 'completed'], 'completed'],
  [['completed', 'cancelled'], 'completed'],
  [['cancelled', 'cancelled'], 'cancelled'],
];

test.each(cases)('packages that are %p make the order %s', (stages, status) => {
  expect(deriveStatus(stages)).toBe(status);
});

test('neither the order nor the number of packages in a stage matters', () => {
  const stage = fc.constantFrom<OrderStatus>('created', 'processing', 'out_for_delivery', 'completed', 'cancelled');
  fc.assert(
    fc.property(fc.array(stage, { minLength: 1 }), (stages) => {
      const status = deriveStatus(stages);
      expect(deriveStatus([...new Set(stages)].reverse())).toBe(status);
      expect(stages.includes(status) || status === 'processing').toBe(true);
    }),
  );
});
