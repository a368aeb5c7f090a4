import { describe, expect, test } from '@jest/globals';
import { createGate } from '../../src/base/turns/queue.js';

const here = new AbortController().signal;

/** A gate for two works at once. Two of one owner may wait, and three of all. `end` ends a work. */
function gateOfTwo() {
  const gate = createGate({
    atOnce: 2,
    maxWaiting: 3,
    maxWaitingOfOwner: 2,
    refusal: (full) => new Error(`full for ${full}`),
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const enter = (name: string, signal = here): Promise<string> =>
    gate.pass(name.charAt(0), signal, () => {
      begun.push(name);
      return new Promise((resolve, reject) => ends.set(name, (error) => (error ? reject(error) : resolve(name))));
    });
  /** Ends a work that has begun. Resolves when the next work has begun. */
  async function end(name: string, error?: Error): Promise<void> {
    await new Promise(setImmediate);
    ends.get(name)?.(error);
    await new Promise(setImmediate);
  }
  return { enter, end, begun };
}

describe('a gate', () => {
  test('lets in one work of each owner at a time, in the order in which works came', async () => {
    const { enter, end, begun } = gateOfTwo();
    const all = ['a1', 'a2', 'b1', 'c1', 'a3'].map((name) => enter(name));
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    // The waiting works are all of owner `a`, who already has a work inside.
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    for (const name of ['a1', 'a2', 'a3']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  test('refuses a work at once when too many wait', async () => {
    const { enter, end, begun } = gateOfTwo();
    const entered = ['a1', 'b1', 'a2', 'a3'].map((name) => enter(name));
    await expect(enter('a4')).rejects.toThrow('full for owner');
    entered.push(enter('c1'));
    await expect(enter('d1')).rejects.toThrow('full for all');
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) await end(name);
    expect([begun.length, (await Promise.all(entered)).length]).toEqual([5, 5]);
    const again = enter('d2');
    await end('d2');
    expect(await again).toBe('d2');
  });

  test('gives the place of a failed work to the next one', async () => {
    const { enter, end, begun } = gateOfTwo();
    const [failing, next] = [enter('a1'), enter('a2')];
    await Promise.all([expect(failing).rejects.toThrow('it broke'), end('a1', new Error('it broke'))]);
    expect(begun).toEqual(['a1', 'a2']);
    await end('a2');
    expect(await next).toBe('a2');
  });

  test('forgets a work that leaves before its turn', async () => {
    const { enter, end, begun } = gateOfTwo();
    const leaving = new AbortController();
    const first = enter('a1');
    const left = enter('a2', leaving.signal);
    const last = enter('a3');
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(enter('b1', leaving.signal)).rejects.toThrow('gone');
    const more = enter('a4');
    for (const name of ['a1', 'a3', 'a4']) await end(name);
    expect(await Promise.all([first, last, more])).toEqual(['a1', 'a3', 'a4']);
    expect(begun).toEqual(['a1', 'a3', 'a4']);
  });

  test('lets in as many works of one owner as the settings allow, in order of arrival, and survives failures', async () => {
    const gate = createGate({ atOnce: 2, atOnceOfOwner: 2, maxWaiting: 10 });
    const begun: number[] = [];
    let working = 0;
    let most = 0;
    const work = (number: number) => async () => {
      begun.push(number);
      working += 1;
      most = Math.max(most, working);
      await new Promise(setImmediate);
      working -= 1;
      if (number % 3 === 0) throw new Error('on purpose');
    };
    const all = Array.from({ length: 12 }, (_, number) => gate.pass('', undefined, work(number)));
    expect(() => gate.demandRoom('')).toThrow();
    await Promise.allSettled(all);
    gate.demandRoom('');
    expect(begun).toEqual(Array.from({ length: 12 }, (_, number) => number));
    expect(most).toBe(2);
  });
});
