import { expect, test } from '@jest/globals';
import { instantOf, instantOfJson } from '../../src/packages/instant.js';

test('an instant keeps microseconds, in UTC', () => {
  expect(instantOf('2026-11-20T14:03:21.123456Z')).toBe('2026-11-20T14:03:21.123456Z');
  expect(instantOf('2026-11-20T14:03:21Z')).toBe('2026-11-20T14:03:21.000000Z');
  expect(instantOf('2026-11-20T23:40:00.5-03:00')).toBe('2026-11-21T02:40:00.500000Z');
  expect(instantOf('2024-02-29T00:00:00.000001+14:00')).toBe('2024-02-28T10:00:00.000001Z');
});

test.each([
  'yesterday',
  '2026-11-20',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T23:59:60Z',
  '2026-11-20T14:03:21.1234567Z',
  '2026-11-20T14:03:21',
  '2026-11-20T14:03:21+15:00',
  '0001-01-01T00:00:00+01:00',
])('%s is not an instant', (text) => {
  expect(instantOf(text)).toBeUndefined();
});

test.each([
  ['2026-11-20T14:03:21', '2026-11-20T14:03:21.000000Z'],
  ['2026-11-20T14:03:21.5', '2026-11-20T14:03:21.500000Z'],
  ['2026-11-20T14:03:21.000001', '2026-11-20T14:03:21.000001Z'],
  ['0001-01-01T00:00:00.1234', '0001-01-01T00:00:00.123400Z'],
])('a time that PostgreSQL writes into JSON as %s is read as %s', (text, instant) => {
  expect(instantOfJson(text)).toBe(instant);
});
