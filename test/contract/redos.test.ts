import { expect, test } from '@jest/globals';
import { attacksOf, checks, cost, named, patterns } from './patterns.js';

/** No pattern and no format of the contracts may stall the service, however long the text: all are tried before its length is. */

// A hundred times what a linear check takes of 100 000 characters; a quadratic one takes seconds. scripts/faults (34) measures.
const QUADRATIC_MS = 500;
const attacks = attacksOf(100_000);

test('the contracts have patterns and formats', () => {
  expect([patterns.length > 5, named.length > 4]).toEqual([true, true]);
});

test.each(checks)('%s takes linear time', (_name, check) => {
  const slow = attacks
    .map((text) => ({ text: text.slice(0, 40), ms: Math.round(cost(check, text)) }))
    .filter(({ ms }) => ms > QUADRATIC_MS);
  expect(slow).toEqual([]);
});
