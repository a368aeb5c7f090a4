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

test.each([8, 9, 100, 1_024])('%i slots are divided among the groups, each slot once', (count) => {
  const shares = Object.values(sharesOf(count));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count);
});

test('late requests move to late slots as long as some are free', () => {
  const slots = createSlots(settings);
  for (let number = 0; number < 4; number += 1) slots.take(one);
  expect(slots.free().prompt).toBe(3);
  for (let number = 0; number < 3; number += 1) slots.take(one);
  expect(slots.free().prompt).toBe(0);
});

test('a slot of any group is free again when it is given back', () => {
  const slots = createSlots(settings);
  const before = structuredClone(slots.free());
  const leaveSlots = [one, one, slowOne, { ...one, group: 'again' as const }].map(slots.take);
  expect(slots.free()).toMatchObject({ prompt: 4, slow: { lanes: 7 }, again: 1 });
  for (const leave of leaveSlots) leave();
  expect(slots.free()).toEqual({ ...before, slow: { ...before.slow, after: 'one' } });
});

test('an account may have as many slow and late requests as it leaves slots free for others', () => {
  const slots = createSlots(settings);
  for (const claim of [one, slowOne, slowOne, { ...slowOne, accountId: 'two' }]) slots.take(claim);
  const { slow } = slots.free();
  expect(slow).toMatchObject({ lanes: 5, ofAccountAtOnce: 3, after: 'two' });
  expect(Object.fromEntries(slow.underWay)).toEqual({ one: 3, two: 1 });
  for (let number = 0; number < 3; number += 1) slots.take({ ...slowOne, accountId: 'three' });
  expect(slots.free().slow).toMatchObject({ lanes: 2, ofAccount: 1, ofAccountAtOnce: 2, after: 'three' });
});

test('a receiver counts as slow sooner when fewer slots are left for late requests', () => {
  const slots = createSlots({ ...settings, promptMs: 1 });
  expect([4, 5].map(slots.isSlow)).toEqual([false, true]);
  const crowded = createSlots({ ...settings, promptMs: -1 });
  for (let number = 0; number < 2; number += 1) crowded.take(one);
  crowded.free();
  expect(crowded.isSlow(0)).toBe(true);
});
