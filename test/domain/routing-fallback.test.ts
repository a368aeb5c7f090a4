import { expect, test } from '@jest/globals';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { recordingLog } from './routing-remote-support.js';

function fixture() {
  let now = 0;
  let calls = 0;
  const { log, lines } = recordingLog();
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

test('a service that answers is used, and nothing is logged', async () => {
  const { askWorking, lines } = fixture();
  expect(await askWorking()).toBe('remote');
  expect(lines).toEqual([]);
});

test('a service that fails is not asked for five seconds, then tried again', async () => {
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
