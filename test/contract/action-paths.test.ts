import { expect, test } from '@jest/globals';
import { operations } from './oracle.js';

/** Checks new paths by the rules of CONTRIBUTING.md. Lists released paths that break them. */

const releasedBefore: Readonly<Record<string, string>> = {
  '/auth/login': '1.0.0',
  '/auth/token': '1.5.0',
  '/api/v1/packages/{loggi_key}/return': '1.3.0',
  '/operator/v1/sign-in': '1.4.0',
  '/operator/v1/second-factor': '1.4.0',
  '/operator/v1/packages/{loggi_key}/pin/override': '1.3.0',
  '/operator/v1/rate-cards/preview': '1.3.0',
  '/operator/v1/webhook-endpoints/{id}/test': '1.0.0',
  '/operator/v1/webhook-endpoints/{id}/enable': '1.0.0',
  '/operator/v1/webhook-endpoints/{id}/disable': '1.0.0',
  '/operator/v1/webhook-endpoints/{id}/replay': '1.0.0',
  '/operator/v1/deliveries/{webhook_id}/replay': '1.0.0',
  '/operator/v1/users/{id}/hold': '1.1.0',
  '/operator/v1/users/{id}/release': '1.1.0',
  '/operator/v1/send-now': '1.1.0',
};

/** Paths that follow the names of the operator's paths. */
const likeTheOperators: Readonly<Record<string, string>> = {
  '/api/v1/webhook-endpoints/{id}/test': '1.10.0',
  '/api/v1/webhook-endpoints/{id}/replay': '1.10.0',
  '/api/v1/webhook-endpoints/{id}/enable': '1.10.0',
  '/api/v1/members/me/second-factor': '1.11.0',
};

/** A step of a path: a parameter or words. */
const STEP = /^(?:\{[a-z_]+\}|v1|api|\.well-known|[a-z]+(?:-[a-z]+)*)$/;
/** The ends of nouns for the result of a POST and of names of collections. */
const NOUN = /(?:ion|removal|ure|ing|change|receipt|s)$/;

const isRead = (path: string): boolean => operations.some((each) => each.path === path && each.method !== 'POST');
const actions = operations.filter(({ method, path }) => method === 'POST' && !isRead(path));

test('the steps of a path are words in lower case, joined by hyphens', () => {
  const paths = operations.map(({ path }) => path.slice(1).split('/'));
  expect(paths.filter((steps) => !steps.every((step) => STEP.test(step)))).toEqual([]);
});

test('an action is a POST to the noun of its result', () => {
  const others = actions.filter(({ path }) => !NOUN.test(path));
  const since = others.map(({ path, node }) => [path, node['x-since'] ?? '1.0.0']);
  expect(Object.fromEntries(since)).toEqual({ ...releasedBefore, ...likeTheOperators });
});
