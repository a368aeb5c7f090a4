import { expect, test } from '@jest/globals';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { rememberRecent } from '../../src/routing/remote/recent.js';
import { keepingLog } from './routing-remote-support.js';

function fixture() {
  let now = 0;
  let calls = 0;
  const { log, lines } = keepingLog();
  const ask = withFallback({ service: 'OSRM', log, now: () => now });
  const failing = async (): Promise<string> => {
    calls++;
    throw new Error('connect ECONNREFUSED');
  };
  return {
    lines,
    calls: () => calls,
    wait: (ms: number) => {
      now += ms;
    },
    askFailing: () => ask(failing, () => 'embedded'),
    askWorking: () =>
      ask(
        async () => 'remote',
        () => 'embedded',
      ),
  };
}

test('a service that answers is used and not spoken of', async () => {
  const { askWorking, lines } = fixture();
  expect(await askWorking()).toBe('remote');
  expect(lines).toEqual([]);
});

test('a service that fails is left alone for five seconds, then tried again', async () => {
  const { askFailing, askWorking, calls, wait } = fixture();
  expect(await askFailing()).toBe('embedded');
  wait(4_999);
  expect(await askWorking()).toBe('embedded');
  expect(calls()).toBe(1);
  wait(1);
  expect(await askWorking()).toBe('remote');
});

test('a service that stays away costs one line in ten seconds, which counts what was answered without it', async () => {
  const { askFailing, lines, wait } = fixture();
  for (let second = 0; second <= 10; second++) {
    await askFailing();
    wait(1_000);
  }
  expect(lines).toEqual([
    {
      fields: { service: 'OSRM', reason: 'connect ECONNREFUSED', fallbacks: 1 },
      message: 'OSRM gives no usable answer; the embedded planner answers instead',
    },
    {
      fields: { service: 'OSRM', reason: 'connect ECONNREFUSED', fallbacks: 10 },
      message: 'OSRM gives no usable answer; the embedded planner answers instead',
    },
  ]);
});

test('recent answers are remembered, the one longest unasked is forgotten, failures are not kept', async () => {
  const asked: string[] = [];
  const remembered = rememberRecent(2, async (key) => {
    asked.push(key);
    if (key === 'bad') throw new Error('bad');
    return key.toUpperCase();
  });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await remembered(key)).toBe(key.toUpperCase());
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
  await expect(remembered('bad')).rejects.toThrow('bad');
  await expect(remembered('bad')).rejects.toThrow('bad');
  expect(asked.filter((key) => key === 'bad')).toHaveLength(2);
});
