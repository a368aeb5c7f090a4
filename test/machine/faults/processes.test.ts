import { expect, test } from '@jest/globals';
import { killApi } from '../../support/processes/orders.js';
import { killBeforeRecord, suspendWorker } from '../../support/processes/stopped-worker.js';
import { pass } from '../../support/queue.js';
import { randomFrom } from '../../support/random.js';
import { stage, stageForEach } from './stage-for-each.js';

// `make faults` runs these for longer, and many more.

const random = randomFrom(1);

stageForEach();

const promiseKept = { breaches: [] };

test('a body whose answer was not recorded is sent once more with the same bytes', async () => {
  expect(await killBeforeRecord(stage, 10)).toMatchObject(promiseKept);
});

test('a worker that was suspended past its lease changes nothing', async () => {
  expect(await suspendWorker(stage, 10, () => pass(stage.db, 31))).toMatchObject(promiseKept);
});

test('an order that a killed API answered with 201 is stored with its notifications', async () => {
  expect(await killApi({ stage, random }, 1)).toMatchObject(promiseKept);
});
