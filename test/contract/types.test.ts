import { beforeAll, describe, expect, test } from '@jest/globals';
import { complaints } from './compile.js';
import { graphqlSnippets } from './graphql-snippets.js';
import { openapiSnippets } from './openapi-snippets.js';
import { webhookSnippets } from './webhook-snippets.js';

const snippets = [...openapiSnippets, ...graphqlSnippets(), ...webhookSnippets];
const right = snippets.filter(({ wrong }) => !wrong);
const wrong = snippets.filter((snippet) => snippet.wrong);
const found = new Map<string, readonly string[]>();

beforeAll(() => {
  const all = complaints(snippets);
  for (const [index, { name }] of snippets.entries()) found.set(name, all[index] ?? []);
});

describe('code that keeps to the contracts compiles', () => {
  test.each(right)('$name', ({ name }) => {
    expect(found.get(name)).toEqual([]);
  });
});

describe('code that breaks a contract does not compile', () => {
  test.each(wrong)('$name', ({ name, wrong: complaint }) => {
    expect(found.get(name)).toEqual([expect.stringMatching(complaint ?? '')]);
  });
});
