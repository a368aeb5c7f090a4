import { beforeAll, expect, test } from '@jest/globals';
import { breakages, type Outcome, simulate } from '../support/simulation/simulate.js';

const SEEDS = 600;
let sound: Outcome | undefined;
let brokenOutcomes: Outcome[];

beforeAll(async () => {
  const brokenRuns = breakages.map((each) => ({ first: 1, count: 150, broken: each }));
  [sound, ...brokenOutcomes] = await simulate([{ first: 1, count: SEEDS }, ...brokenRuns]);
});

test('whatever happens, nothing is lost or out of order, and no worker without a lease changes anything', () => {
  expect(sound).toEqual({ runs: SEEDS, violations: [] });
});

test.each(breakages.map((name, place) => [name, place] as const))('the simulation notices when %s', (_, place) => {
  expect(brokenOutcomes[place]?.violations).not.toEqual([]);
});
