import { expect, test } from '@jest/globals';
import { OutOfTimeError, withFallback } from '../../src/routing/remote/fallback.js';
import { recordingLog } from './routing-remote-support.js';

function fixture() {
  let now = 0;
  let calls = 0;
  const { log, lines } = recordingLog();
  const { ask, isResting, notePartial } = withFallback({ service: 'OSRM', log, now: () => now });
  const embedded = () => 'embedded';
  const fail = (error: Error) => async (): Promise<string> => {
    calls++;
    throw error;
  };
  return {
    lines,
    isResting,
    notePartial,
    calls: () => calls,
    wait: (ms: number) => {
      now += ms;
    },
    askFailing: (error = new Error('connect ECONNREFUSED')) => ask(fail(error), embedded),
    askWorking: () => ask(async () => 'remote', embedded),
  };
}

test('a service that fails is not asked for five seconds, and is then tried again', async () => {
  const { askFailing, askWorking, calls, isResting, wait } = fixture();
  expect(await askFailing()).toBe('embedded');
  wait(4_999);
  expect(isResting()).toBe(true);
  expect(await askWorking()).toBe('embedded');
  expect(calls()).toBe(1);
  wait(1);
  expect(isResting()).toBe(false);
  expect(await askWorking()).toBe('remote');
});

test('an order that ran out of time is answered without the service; the next one asks it at once', async () => {
  const { askFailing, askWorking, lines } = fixture();
  expect(await askFailing(new OutOfTimeError('too long'))).toBe('embedded');
  expect(await askWorking()).toBe('remote');
  expect(lines).toMatchObject([{ fields: { reason: 'too long', fallbacks: 1 } }]);
});

test('a service that stays away makes one log line in ten seconds, which counts the fallbacks', async () => {
  const { askFailing, lines, wait } = fixture();
  for (let second = 0; second <= 10; second++) {
    await askFailing();
    wait(1_000);
  }
  const fields = { service: 'OSRM', reason: 'connect ECONNREFUSED' };
  const message = 'planning.fallback';
  expect(lines).toEqual([1, 10].map((fallbacks) => ({ fields: { ...fields, fallbacks }, message })));
});

test('partly unusable answers make one log line in ten seconds, which counts the parts; the service stays in use', async () => {
  const { askWorking, notePartial, lines, wait } = fixture();
  for (let second = 0; second <= 10; second++) {
    notePartial({ legsWithoutRoad: 2 });
    wait(1_000);
  }
  const message = 'planning.answer_incomplete';
  expect(lines).toEqual([
    { fields: { service: 'OSRM', legsWithoutRoad: 2, fallbacks: 1 }, message },
    { fields: { service: 'OSRM', legsWithoutRoad: 20, fallbacks: 10 }, message },
  ]);
  expect(await askWorking()).toBe('remote');
});
