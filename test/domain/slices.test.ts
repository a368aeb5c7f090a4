import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSlices } from '../../src/base/turns/slices.js';

/** Long computations share the event loop. In this test only their steps take time. */

const STEP_MS = 0.2;
/** The maximum of steps in a row of one owner while another waits. Below: the maximum in one turn of the event loop. */
const IN_SLICE = 2;
const IN_TURN = 2 + IN_SLICE;

const tasks = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c'), steps: fc.nat({ max: 40 }) }), {
  maxLength: 12,
});

test('computations run a slice at a time, owner by owner, and a few slices in one turn of the event loop', async () => {
  await fc.assert(
    fc.asyncProperty(tasks, async (all) => {
      let now = 0;
      let pending: (() => void) | undefined;
      const inSlices = createSlices({
        now: () => now,
        nextTurn: (work) => {
          pending = work;
        },
      });
      /** The end of a computation also counts as a step. */
      const left = all.map(({ steps }) => steps + 1);
      let [inTurn, inRow, latest] = [0, 0, ''];
      function* work(at: number, owner: string): Generator<void, number> {
        const steps = (left[at] ?? 0) - 1;
        for (;;) {
          left[at] = (left[at] ?? 0) - 1;
          now += STEP_MS;
          inTurn += 1;
          inRow = owner === latest ? inRow + 1 : 1;
          latest = owner;
          const isOtherWaiting = all.some((task, other) => task.owner !== owner && (left[other] ?? 0) > 0);
          if (hasStarted && isOtherWaiting) expect(inRow).toBeLessThanOrEqual(IN_SLICE);
          if (left[at] === 0) return steps;
          yield;
        }
      }
      let hasStarted = false;
      const results = all.map(({ owner }, at) => inSlices(owner, work(at, owner)));
      hasStarted = true;
      [inRow, latest] = [0, ''];
      while (pending) {
        const turn = pending;
        [pending, inTurn] = [undefined, 0];
        turn();
        expect(inTurn).toBeLessThanOrEqual(IN_TURN);
      }
      expect(await Promise.all(results)).toEqual(all.map(({ steps }) => steps));
    }),
  );
});

test('a failing computation does not disturb others', async () => {
  const inSlices = createSlices();
  function* failing(): Generator<void, never> {
    yield;
    throw new RangeError('wrong');
  }
  function* right(): Generator<void, string> {
    yield;
    return 'right';
  }
  const results = await Promise.allSettled([inSlices('a', failing()), inSlices('a', right())]);
  expect(results).toEqual([
    { status: 'rejected', reason: new RangeError('wrong') },
    { status: 'fulfilled', value: 'right' },
  ]);
});
