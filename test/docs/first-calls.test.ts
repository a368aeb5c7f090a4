import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { journeyCalls } from './journey-calls.js';
import { callsOf } from './pasted-calls.js';

/** The first calls of README.md, which are those of the quickstart (guides.test.ts), are the journey of a first order. */

const FENCED = /^```sh\n([\s\S]*?)^```$/gm;

const readme = readFileSync('README.md', 'utf8');
const blocks = [...(readme.split('## First calls\n')[1]?.split(/^## /m)[0] ?? '').matchAll(FENCED)].map(
  ([, text = '']) => text,
);

test('README.md sends what the steps of first-order.yaml send', () => {
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
  expect(edited.flatMap((call, at) => (isDeepStrictEqual(call, right[at]) ? [] : [at]))).toEqual([3, 6, 8]);
});
