import { describe, expect, test } from '@jest/globals';
import { startGraphql } from '../graphql/client.js';
import {
  atPackage,
  bodyOf,
  type MovementInput,
  movement,
  newPackage,
  newPackages,
  resultsOf,
  soon,
} from './fixtures.js';

/** Attempts to deliver: the carrier reports them, and every interface shows them. */

const service = await startGraphql({});
const { operator } = service;
const { operator: api } = operator;
const { caller: customer, send } = await service.client();

const DAY_MS = 86_400_000;
const tomorrow = soon(DAY_MS).slice(0, 10);
const tried = (key: string, outcome: NonNullable<MovementInput['attempt']>['outcome'], more = {}) =>
  movement(key, { status_code: 18, attempt: { outcome, next_on: tomorrow }, ...more });

describe('an attempt', () => {
  test('is shown with the package and in its history, by REST, to the operator and by GraphQL', async () => {
    const key = await newPackage(customer);
    const before = await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
    expect(before).not.toHaveProperty('attempts');
    expect(before).not.toHaveProperty('expected_window');
    const expected = { from: soon(DAY_MS), to: soon(DAY_MS + 3_600_000) };
    expect(await resultsOf(operator, tried(key, 'absent', { expected }))).toEqual(['recorded']);
    const attempts = { count: 1, last_outcome: 'absent', next_on: tomorrow };
    const shown = { attempts, expected_window: expected };
    expect(await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)))).toMatchObject(shown);
    const mine = await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
    expect(mine).toMatchObject(shown);
    const [newest] = (await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(key)))).data;
    expect(newest).toMatchObject({ attempt: { outcome: 'absent', next_on: tomorrow }, expected });
    await resultsOf(operator, movement(key, { status_code: 17 }));
    const later = await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
    expect(later.attempts).toEqual(attempts);
    expect(later).not.toHaveProperty('expected_window');
    expect(later.tracking_history[0]).toMatchObject({ attempt: { outcome: 'absent', next_on: tomorrow } });
    const { data } = await send(
      `{ package(loggiKey: "${key}") {
        attempts { count lastOutcome nextOn } expectedWindow { from to } trackingHistory { attempt { outcome nextOn } } } }`,
    );
    expect(data).toEqual({
      package: {
        attempts: { count: 1, lastOutcome: 'absent', nextOn: tomorrow },
        expectedWindow: null,
        trackingHistory: [{ attempt: { outcome: 'absent', nextOn: tomorrow } }, { attempt: null }],
      },
    });
  });

  test('that the courier could not make has its own outcome and is not counted', async () => {
    const key = await newPackage(customer);
    const attempts = async () =>
      (await bodyOf(customer.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)))).attempts;
    await resultsOf(operator, tried(key, 'not_attempted'));
    expect(await attempts()).toMatchObject({ count: 0, last_outcome: 'not_attempted' });
    await resultsOf(operator, tried(key, 'closed'), tried(key, 'not_attempted', { happened_at: soon(1_000) }));
    expect(await attempts()).toMatchObject({ count: 1, last_outcome: 'not_attempted' });
  });

  test('filters the lists of both interfaces, and is counted in the figures', async () => {
    const [refused = '', unsafe = ''] = await newPackages(customer, 2);
    await resultsOf(operator, tried(refused, 'refused'), tried(unsafe, 'unsafe'));
    const query = { attempt_outcome: 'refused' } as const;
    const own = await bodyOf(customer.rest.GET('/api/v1/packages', { params: { query } }));
    expect([own.data.map(({ loggi_key: key }) => key), own.pagination.total_items]).toEqual([[refused], 1]);
    const all = await bodyOf(api.GET('/operator/v1/packages', { params: { query } }));
    expect(all.data.map(({ loggi_key: key }) => key)).toEqual([refused]);
    const open = await bodyOf(api.GET('/operator/v1/packages', { params: { query: { ...query, open: true } } }));
    expect(open.data.map(({ loggi_key: key }) => key)).toEqual([refused]);
    const figures = async () => (await bodyOf(api.GET('/operator/v1/figures', {}))).attempts;
    expect(await figures()).toContainEqual({ outcome: 'refused', packages: 1 });
    await resultsOf(operator, movement(refused, { status_code: 5 }));
    expect((await figures())?.map(({ outcome }) => outcome)).not.toContain('refused');
  });

  test('is refused with the name that its wrong field has in the request', async () => {
    const key = await newPackage(customer);
    const over = { attempt: { outcome: 'absent', next_on: '2026-01-05' } } as const;
    expect(await resultsOf(operator, movement(key, { status_code: 18, ...over }))).toEqual([
      'refused VALIDATION_ERROR attempt.next_on',
    ]);
  });
});
