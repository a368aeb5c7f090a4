import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { breakages, type Outcome, simulate } from './simulate.js';

const SEEDS = 600;
let sound: Outcome | undefined;
let brokenOutcomes: Outcome[];

before(async () => {
  const brokenRuns = breakages.map((each) => ({ first: 1, count: 150, broken: each }));
  [sound, ...brokenOutcomes] = await simulate([{ first: 1, count: SEEDS }, ...brokenRuns]);
});

test('whatever happens, nothing is lost or out of order, and no worker without a lease changes anything', () => {
  assert.deepEqual(sound, { runs: SEEDS, violations: [] });
});

breakages.forEach((name, place) => {
  test(`the simulation notices when ${name}`, () => assert.notDeepEqual(brokenOutcomes[place]?.violations ?? [], []));
});
