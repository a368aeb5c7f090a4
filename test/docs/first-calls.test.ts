import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { blocksOf, bothSides, carriersPart, quickstart } from './both-sides.js';
import { journeyCalls } from './journey-calls.js';
import { callsOf } from './pasted-calls.js';

/** The calls of CONTRIBUTING.md and the quickstart, one after the other, are the journey of a first order. */

const textsOf = (blocks: readonly { language: string; text: string }[]): string[] =>
  blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);

const blocks = textsOf(bothSides());

test('both sides send what the steps of first-order.yaml send', () => {
  const calls = callsOf(blocks);
  expect(calls.length).toBeGreaterThan(10);
  expect(calls).toEqual(journeyCalls('first-order.yaml'));
});

test('a body, a header and a query that are edited alone are seen', () => {
  const edits: [string, string][] = [
    ['{"user_id":"\'$ANA\'"', '{"user_id":"\'$OPERATOR\'"'],
    ['Idempotency-Key: first-order', 'Idempotency-Key: other'],
    ['page_size=5', 'page_size=6'],
  ];
  const text = blocks.join('\n');
  for (const [from] of edits) expect(text).toContain(from);
  const edited = callsOf([edits.reduce((each, [from, to]) => each.replace(from, to), text)]);
  const right = journeyCalls('first-order.yaml');
  expect(edited.flatMap((call, at) => (isDeepStrictEqual(call, right[at]) ? [] : [at]))).toEqual([3, 8, 10]);
});

test('the quickstart is the customer alone: it plays no operator and needs no repository', () => {
  const texts = textsOf(quickstart());
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).not.toMatch(/operator|npm|make /i);
});

test('each block stands once', () => {
  const all = [quickstart(), carriersPart(), blocksOf('README.md')].flatMap(textsOf);
  expect(new Set(all).size).toBe(all.length);
});
