import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRotation } from '../../src/base/turns/queue.js';

/** Turns among those who share a queue. */

interface Waiter {
  owner: string;
  number: number;
}

const owners = fc.constantFrom('a', 'b', 'c', 'd');
/** Steps: an owner arrives, or null takes the next waiter. */
const steps = fc.array(fc.option(owners, { freq: 3 }), { maxLength: 200 });

/** Does the steps. Calls `onTaken` with the taken waiter and those who waited until then. */
function play(all: readonly (string | null)[], onTaken: (taken: Waiter | undefined, waiting: Waiter[]) => void): void {
  const rotation = createRotation<Waiter>();
  let waiting: Waiter[] = [];
  for (const [number, owner] of all.entries()) {
    if (owner !== null) {
      waiting.push({ owner, number });
      rotation.add({ owner, number });
      continue;
    }
    const taken = rotation.take(() => true);
    onTaken(taken, waiting);
    waiting = waiting.filter((each) => each.number !== taken?.number);
  }
}

describe('a rotation', () => {
  test('always takes a waiter if there is one, and of each owner the first one', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(all, (taken, waiting) => {
          expect(taken).toEqual(waiting.find(({ owner }) => owner === taken?.owner));
          expect(taken === undefined).toBe(waiting.length === 0);
        }),
      ),
    );
  });

  test('serves no owner twice while another owner waits', () => {
    fc.assert(
      fc.property(steps, (all) => {
        /** For each owner: how often each other owner was served since it was served or began to wait. */
        const passed = new Map<string, Map<string, number>>();
        play(all, (taken, waiting) => {
          if (!taken) return;
          passed.delete(taken.owner);
          for (const owner of new Set(waiting.map((waiter) => waiter.owner))) {
            if (owner === taken.owner) continue;
            const counts = passed.get(owner) ?? new Map<string, number>();
            counts.set(taken.owner, (counts.get(taken.owner) ?? 0) + 1);
            passed.set(owner, counts);
          }
          for (const counts of passed.values()) expect(Math.max(...counts.values())).toBeLessThanOrEqual(1);
        });
      }),
    );
  });

  test('passes over waiters that are not accepted, who keep their turn', () => {
    const rotation = createRotation<Waiter>();
    for (const [number, owner] of ['a', 'a', 'b', 'c'].entries()) rotation.add({ owner, number });
    const take = (accept: (waiter: Waiter) => boolean = () => true) => rotation.take(accept)?.number;
    expect([take(({ owner }) => owner !== 'a'), take(({ number }) => number !== 0), take(), take(), take()]).toEqual([
      2,
      1,
      3,
      0,
      undefined,
    ]);
  });

  test('lets matching waiters withdraw', () => {
    const rotation = createRotation<Waiter>();
    for (const [number, owner] of ['a', 'b', 'a', 'b'].entries()) rotation.add({ owner, number });
    expect(rotation.withdraw(({ number }) => number !== 2).map(({ number }) => number)).toEqual([0, 1, 3]);
    expect(rotation.firsts()).toEqual([{ owner: 'a', number: 2 }]);
  });
});
