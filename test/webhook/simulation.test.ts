import { beforeAll, expect, test } from '@jest/globals';
import { breakages, type Outcome, simulate } from '../support/simulation/simulate.js';

const count = 600;
let sound: Outcome | undefined;
let broken: Outcome[];

beforeAll(async () => {
  const wrong = breakages.map((each) => ({ first: 1, count: 150, broken: each }));
  [sound, ...broken] = await simulate([{ first: 1, count }, ...wrong]);
});

test('whatever happens, nothing is lost or out of order, and no stale sender changes anything', () => {
  expect(sound).toEqual({ runs: count, violations: [] });
});

test.each(breakages.map((name, place) => [name, place] as const))('a sender is found out when %s', (_, place) => {
  expect(broken[place]?.violations).not.toEqual([]);
});
