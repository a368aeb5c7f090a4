import { expect, test } from '@jest/globals';
import { createSlowness } from '../../src/app/slowness.js';
import { ownService } from '../support/services.js';

/** A process leaves work to others while its machine is too slow, or while it cannot send. */

const { db } = await ownService({}, { worker: false });
/** Longer than any test, even on a slow machine. */
const LEASE_MS = 600_000;
const processesOf = (parts: string, count: number) =>
  Array.from({ length: count }, () => createSlowness(db, parts, LEASE_MS));

test('a slow process is excluded while another is well, and comes back by itself', async () => {
  const [one, other] = processesOf('one and other', 2);
  await one?.judge(0);
  await other?.judge(0);
  await one?.judge(0.6);
  expect(one?.isOut()).toBe(false);
  // It gave up the lease. The other process can now take it and report that it is well.
  await other?.judge(0);
  await one?.judge(0.6);
  expect([one?.isOut(), other?.isOut()]).toEqual([true, false]);
  expect(await one?.check()).toMatchObject({ reason: 'slow' });
  await one?.judge(0.3);
  expect(one?.isOut()).toBe(true);
  await one?.judge(0.1);
  expect([one?.isOut(), await one?.check()]).toEqual([false, undefined]);
});

test('a process that cannot send takes no lanes while another can, and stays ready, with a note about it', async () => {
  const [one, other] = processesOf('cannot send', 2);
  await other?.judge(0);
  await one?.judge(0, true);
  expect([one?.isOut(), await one?.check()]).toEqual([true, undefined]);
  await other?.judge(0, true);
  await one?.judge(0, true);
  expect([one?.isOut(), other?.isOut()]).toEqual([false, false]);
});

test('no process is excluded when all are slow, or when it is alone in its part of the work', async () => {
  const [one, other] = processesOf('all slow', 2);
  for (const each of [one, other, one, other]) await each?.judge(0.9);
  expect([one?.isOut(), other?.isOut()]).toEqual([false, false]);
  const [alone] = processesOf('alone', 1);
  await alone?.judge(0);
  await alone?.judge(0.9);
  expect(alone?.isOut()).toBe(false);
});

test('the last process that is well is never excluded, and excluded processes come back when it gets slow', async () => {
  const [one, other] = processesOf('in turn', 2);
  await other?.judge(0);
  await one?.judge(0.9);
  expect(one?.isOut()).toBe(true);
  await other?.judge(0.9);
  expect(other?.isOut()).toBe(false);
  await one?.judge(0.9);
  expect(one?.isOut()).toBe(false);
});
