import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { journeysIn, runJourneys, type Stage, setStage } from '../support/journeys.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
}, 60_000);
afterAll(() => stage.stop());

test('x', async () => {
  const t = Date.now();
  const run = await runJourneys(await journeysIn('contracts/journeys'), stage.service.url, stage.inputs);
  console.log(run.output, run.workflows, Date.now() - t);
  expect(run.passed).toBe(true);
}, 120_000);
