import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Outcome } from '../../src/queue/schedule.js';
import { nextAttempt, retryAfterMs, type SendKind, standardSchedule, type Verdict } from '../../src/queue/schedule.js';

const now = new Date('2026-11-20T12:00:00Z');
const answered = (status: number, retryAfter?: string): Outcome => ({
  kind: 'answered',
  status,
  body: '',
  durationMs: 1,
  ...(retryAfter !== undefined && { retryAfter }),
});
const decide = (outcome: Outcome, number = 1, random = 0.5, kind: SendKind = 'delivery'): Verdict =>
  nextAttempt(standardSchedule, { kind, number, outcome }, () => random, now);

test('only 200 and 201 acknowledge, 410 disables, and every other answer is tried again', () => {
  for (let status = 100; status < 600; status += 1) {
    const expected = status === 200 || status === 201 ? 'acknowledged' : status === 410 ? 'gone' : 'retry';
    expect([status, decide(answered(status)).kind]).toEqual([status, expected]);
  }
});

test('attempts follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, and then no more', () => {
  const verdicts = Array.from({ length: 10 }, (_, index) => decide(answered(500), index + 1));
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
  expect(verdicts).toEqual([...minutes.map((each) => ({ kind: 'retry', delayMs: each * 60_000 })), { kind: 'dead' }]);
});

test('each pause is within 20 % of its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (number, random) => {
        const pause = standardSchedule.pausesMs.delivery[number - 1] ?? 0;
        const verdict = decide({ kind: 'no_answer', error: '', durationMs: 1 }, number, random);
        const delayMs = verdict.kind === 'retry' ? verdict.delayMs : Number.NaN;
        expect(Math.abs(delayMs - pause)).toBeLessThanOrEqual(0.2 * pause + 1);
      },
    ),
  );
});

test('a replay is tried three times, a test once', () => {
  const kinds = (kind: SendKind) => [1, 2, 3].map((number) => decide(answered(500), number, 0.5, kind).kind);
  expect(kinds('replay')).toEqual(['retry', 'retry', 'dead']);
  expect(kinds('test')[0]).toBe('dead');
});

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Friday, 20-Nov-26 12:01:00 GMT', 60_000],
    ['Fri Nov 20 12:01:00 2026', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-11-20', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s as %s ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('delays an attempt, never brings it forward, and by a day at most', () => {
    expect(decide(answered(503, '60'))).toEqual({ kind: 'retry', delayMs: 60_000 });
    expect(decide(answered(429, '1'))).toEqual({ kind: 'retry', delayMs: 5_000 });
    expect(decide(answered(503, '99999999'))).toEqual({ kind: 'retry', delayMs: 86_400_000 });
  });
});
