import { expect, test } from '@jest/globals';
import { sharesOf } from '../../src/webhook/settings.js';
import { createSlots } from '../../src/webhook/slots.js';

const settings = {
  concurrency: 4,
  retryConcurrency: 2,
  slowConcurrency: 8,
  lateConcurrency: 3,
  accountConcurrency: 3,
  promptMs: 0,
  claimSize: 64,
};
const one = { group: 'prompt', accountId: 'one' } as const;
const slowOne = { ...one, group: 'slow' } as const;

test.each([8, 9, 100, 1_024])('%i slots are shared out, none twice', (count) => {
  const shares = Object.values(sharesOf(count));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count);
});

test('late requests give up their slots as long as there are late slots', () => {
  const slots = createSlots(settings);
  for (let number = 0; number < 4; number += 1) slots.take(one);
  expect(slots.free().prompt).toBe(3);
  for (let number = 0; number < 3; number += 1) slots.take(one);
  expect(slots.free().prompt).toBe(0);
});

test('every slot that is given back is free again, whatever its group', () => {
  const slots = createSlots(settings);
  const before = structuredClone(slots.free());
  const leaveSlots = [one, one, slowOne, { ...one, group: 'again' as const }].map(slots.take);
  expect(slots.free()).toMatchObject({ prompt: 4, slow: { lanes: 7 }, again: 1 });
  for (const leave of leaveSlots) leave();
  expect(slots.free()).toEqual({ ...before, slow: { ...before.slow, after: 'one' } });
});

test('the slow and the late requests of an account count, and it may take as many as it leaves free for others', () => {
  const slots = createSlots(settings);
  for (const claim of [one, slowOne, slowOne, { ...slowOne, accountId: 'two' }]) slots.take(claim);
  const { slow } = slots.free();
  expect(slow).toMatchObject({ lanes: 5, ofAccountAtOnce: 3, after: 'two' });
  expect(Object.fromEntries(slow.underWay)).toEqual({ one: 3, two: 1 });
  for (let number = 0; number < 3; number += 1) slots.take({ ...slowOne, accountId: 'three' });
  expect(slots.free().slow).toMatchObject({ lanes: 2, ofAccount: 1, ofAccountAtOnce: 2, after: 'three' });
});

test('the fewer slots are left for late requests, the sooner a receiver is slow', () => {
  const slots = createSlots({ ...settings, promptMs: 1 });
  expect([4, 5].map(slots.isSlow)).toEqual([false, true]);
  const crowded = createSlots({ ...settings, promptMs: -1 });
  for (let number = 0; number < 2; number += 1) crowded.take(one);
  crowded.free();
  expect(crowded.isSlow(0)).toBe(true);
});
