import { expect, test } from '@jest/globals';
import { sharesOf } from '../../src/webhook/settings.js';
import { createPlaces } from '../../src/webhook/slots.js';

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

test.each([8, 9, 100, 1_024])('%i places are shared out, none twice', (count) => {
  const shares = Object.values(sharesOf(count));
  expect(Math.min(...shares)).toBeGreaterThan(0);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(count);
});

test('late requests give up their places as long as there are late places', () => {
  const places = createPlaces(settings);
  for (let number = 0; number < 4; number += 1) places.take(one);
  expect(places.free().prompt).toBe(3);
  for (let number = 0; number < 3; number += 1) places.take(one);
  expect(places.free().prompt).toBe(0);
});

test('every place that is given back is free again, whatever its group', () => {
  const places = createPlaces(settings);
  const before = structuredClone(places.free());
  const leavePlaces = [one, one, slowOne, { ...one, group: 'again' as const }].map(places.take);
  expect(places.free()).toMatchObject({ prompt: 4, slow: { lanes: 7 }, again: 1 });
  for (const leave of leavePlaces) leave();
  expect(places.free()).toEqual({ ...before, slow: { ...before.slow, after: 'one' } });
});

test('the slow and the late requests of an account count, and it may take as many as it leaves free for others', () => {
  const places = createPlaces(settings);
  for (const claim of [one, slowOne, slowOne, { ...slowOne, accountId: 'two' }]) places.take(claim);
  const { slow } = places.free();
  expect(slow).toMatchObject({ lanes: 5, ofAccountAtOnce: 3, after: 'two' });
  expect(Object.fromEntries(slow.underWay)).toEqual({ one: 3, two: 1 });
  for (let number = 0; number < 3; number += 1) places.take({ ...slowOne, accountId: 'three' });
  expect(places.free().slow).toMatchObject({ lanes: 2, ofAccount: 1, ofAccountAtOnce: 2, after: 'three' });
});

test('the fewer places are left for late requests, the sooner a receiver is slow', () => {
  const places = createPlaces({ ...settings, promptMs: 1 });
  expect([4, 5].map(places.isSlow)).toEqual([false, true]);
  const crowded = createPlaces({ ...settings, promptMs: -1 });
  for (let number = 0; number < 2; number += 1) crowded.take(one);
  crowded.free();
  expect(crowded.isSlow(0)).toBe(true);
});
