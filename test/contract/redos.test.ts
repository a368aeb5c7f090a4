import { expect, test } from '@jest/globals';
import { checks, dearest, named, patterns } from './patterns.js';

/** No pattern and no format of the contracts may stall the service, however long the text: all are tried before its length is. */

test('the contracts have patterns and formats', () => {
  expect([patterns.length > 5, named.length > 4]).toEqual([true, true]);
});

// A hundred times what a linear check takes of so many characters; a quadratic one takes seconds. scripts/faults (34) measures.
test.each(checks)('%s takes linear time', (_name, check) => {
  expect(dearest(check, 100_000, 500)).toBeLessThanOrEqual(500);
});
