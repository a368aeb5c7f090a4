import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRotation } from '../../src/base/turns/queue.js';

/** Turns among those who share a queue. */

interface Waiter {
  owner: string;
  number: number;
}

const owners = fc.constantFrom('a', 'b', 'c', 'd');
/** Arrivals by owner, and a null for each one who is taken. */
const steps = fc.array(fc.option(owners, { freq: 3 }), { maxLength: 200 });

/** Does the steps; calls `onTaken` with the one who was taken and those who waited before that. */
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
  test('takes one whenever somebody waits, of each owner the one that came first', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(all, (taken, waiting) => {
          expect(taken).toEqual(waiting.find(({ owner }) => owner === taken?.owner));
          expect(taken === undefined).toBe(waiting.length === 0);
        }),
      ),
    );
  });

  test('serves no owner twice while another one waits for its first turn', () => {
    fc.assert(
      fc.property(steps, (all) => {
        /** The number of others served since an owner last was, or began to wait. */
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

  test('passes over those who are not accepted, who keep their turn', () => {
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

  test('lets those who fit withdraw', () => {
    const rotation = createRotation<Waiter>();
    for (const [number, owner] of ['a', 'b', 'a', 'b'].entries()) rotation.add({ owner, number });
    expect(rotation.withdraw(({ number }) => number !== 2).map(({ number }) => number)).toEqual([0, 1, 3]);
    expect(rotation.firsts()).toEqual([{ owner: 'a', number: 2 }]);
  });
});
