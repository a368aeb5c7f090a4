import { describe, expect, test } from '@jest/globals';
import { clockAheadMs, setDatabaseTime } from '../../src/base/clock.js';
import {
  invalid,
  notFound,
  rateLimited,
  ServiceError,
  statusOf,
  unauthenticated,
  unavailable,
} from '../../src/base/errors.js';
import { isId, newId } from '../../src/base/ids.js';
import { offsetOf } from '../../src/base/page.js';
import { isText } from '../../src/base/values.js';

const DAY_MS = 86_400_000;

describe('ids', () => {
  test('are UUIDs of version 7 that sort by age', () => {
    const ids = Array.from({ length: 2000 }, newId);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('follow the newest time of the database, even back from a clock that was far ahead', () => {
    const dayOf = () =>
      Math.round((Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16) - Date.now()) / DAY_MS);
    const setTime = (days: number) =>
      setDatabaseTime(new Date(Date.now() + days * DAY_MS), performance.now(), performance.now());
    const early = performance.now();
    setTime(100);
    setDatabaseTime(new Date(), early, performance.now());
    expect([dayOf(), Math.round(clockAheadMs() / DAY_MS)]).toEqual([100, -100]);
    setTime(-30);
    expect([dayOf(), Math.round(clockAheadMs() / DAY_MS)]).toEqual([-30, 30]);
    const ofDay = Array.from({ length: 100 }, newId);
    // Ids do not go back for a difference of one second.
    setTime(-30 - 1 / 86_400);
    const all = [...ofDay, ...Array.from({ length: 100 }, newId)];
    expect([...all].sort()).toEqual(all);
    setTime(0);
  });

  test.each([
    newId(),
    newId().toUpperCase(),
    '00000000-0000-0000-0000-000000000000',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
  ])('are recognised: %s', (text) => expect(isId(text)).toBe(true));

  test.each([
    '',
    'me',
    '6ba7b8109dad11d180b400c04fd430c8',
    '{6ba7b810-9dad-11d1-80b4-00c04fd430c8}',
    `${newId()}\n`,
    ` ${newId()}`,
    '6ba7b810-9dad-11d1-80b4-00c04fd430cg',
  ])('are not recognised in %j', (text) => expect(isId(text)).toBe(false));
});

describe('text', () => {
  test.each(['', 'São Paulo', '🚚', '\u{10ffff}', '\u202eabc', '\n\t'])('can be stored unchanged: %j', (value) => {
    expect(isText(value)).toBe(true);
  });

  test.each(['\ud800', 'a\udc00b', '\ude00\ud83d', 'a\0b'])('cannot be stored unchanged: %j', (value) => {
    expect(isText(value)).toBe(false);
  });
});

describe('faults', () => {
  test('carry the answer for the caller, and apart from it the cause', () => {
    const cause = new Error('internal');
    const details = [{ field: 'email', code: 'taken', message: 'is taken' }] as const;
    const fault = new ServiceError('CONFLICT', 'email_taken', 'Taken.', { details, cause });
    expect(fault).toMatchObject({ code: 'CONFLICT', reason: 'email_taken', message: 'Taken.', headers: {}, cause });
    expect(fault).toBeInstanceOf(Error);
    expect(statusOf(fault.code)).toBe(409);
  });

  test('have the status and headers of their code', () => {
    expect(statusOf(invalid([]).code)).toBe(400);
    expect(notFound('order').message).toBe('No such order.');
    expect(unauthenticated('login_failed', 'No.').headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(rateLimited('hourly_budget', 'Later.', { retryAfter: 12.1 }).headers).toEqual({ 'Retry-After': '13' });
    expect(unavailable().headers).toEqual({ 'Retry-After': '1' });
    expect('cause' in notFound('order')).toBe(false);
  });
});

test('the first page begins at the first row', () => {
  expect([offsetOf({ page: 1, pageSize: 20 }), offsetOf({ page: 3, pageSize: 20 })]).toEqual([0, 40]);
});
