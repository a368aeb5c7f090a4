import { expect, test } from '@jest/globals';
import { timesTheCost } from '../support/cost.js';
import { attacksOf, checks, named, patterns } from './patterns.js';

/** No pattern or format of the contracts may stall the service, because they run before the check of length. */

test('the contracts have patterns and formats', () => {
  expect([patterns.length > 5, named.length > 4]).toEqual([true, true]);
});

/** Lengths of a short and a long text. In linear time, the long one costs no more than short ones of that length. */
const lengths = [
  // An exponential pattern takes 500 times as much,
  [12, 24],
  // cubic time a hundred times, quadratic time
  [100, 1_000],
  // a thousand times: the fault costly-patterns measures.
  [100, 100_000],
] as const;
const MOST = 15;

test.each(checks)('the check %s takes linear time', async (_name, check) => {
  for (const [short, long] of lengths) {
    const [texts, longTexts] = [attacksOf(short), attacksOf(long)];
    const together = () => {
      for (let time = 0; time < long / short; time += 1) texts.forEach(check);
    };
    expect(await timesTheCost(() => longTexts.forEach(check), together, MOST)).toBeLessThanOrEqual(MOST);
  }
});
