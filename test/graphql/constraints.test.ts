import { describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { inputCheck, withoutRefused } from '../../src/graphql/constraints.js';

const directives = sdl.slice(0, sdl.indexOf('type Query'));

/** The check of the type `Given` of a schema with the contract's own directives. */
const checkOf = (types: string) => {
  const check = inputCheck(
    buildSchema(`${directives.replace(/"""[^"]*"""\s*$/, '')} ${types} type Query { a: Int }`),
    'Given',
  );
  return (value: unknown) => check(value, '').map(({ field, message }) => `${field} ${message}`);
};

describe('@text', () => {
  const check = checkOf(
    'input Given { name: String @text(min: 2, max: 4, pattern: "^[^!]*$", says: "calm") free: String @text }',
  );

  test.each([['ab'], ['abcd'], ['🐕🐕🐕🐕'], [null], [undefined]])('allows %j', (name) => {
    expect(check({ name })).toEqual([]);
  });

  test.each([
    ['a', 'name must have at least 2 characters'],
    ['🐕', 'name must have at least 2 characters'],
    ['abcde', 'name must have at most 4 characters'],
    ['x'.repeat(10_000_000), 'name must have at most 4 characters'],
    ['ab!', 'name must be calm'],
    ['ab\0', 'name must be valid Unicode text without NUL'],
    ['ab\udc00', 'name must be valid Unicode text without NUL'],
  ])('refuses %.20j', (name, error) => {
    expect(check({ name })).toEqual([error]);
  });

  test('means 1 to 255 characters unless it says otherwise', () => {
    expect(check({ free: '' })).toEqual(['free must have at least 1 character']);
    expect(check({ free: 'x'.repeat(255) })).toEqual([]);
    expect(check({ free: 'x'.repeat(256) })).toEqual(['free must have at most 255 characters']);
  });
});

describe('@range', () => {
  const check = checkOf(
    'input Given { size: Float @range(min: 0, max: 10, exclusive: true) count: Int @range(min: 0, max: 10) }',
  );

  test.each([
    [{ size: 0.001, count: 0 }, []],
    [{ size: 10, count: 10 }, []],
    [{ size: 0, count: -1 }, ['size must be greater than 0', 'count must be at least 0']],
    [{ size: 10.001, count: 11 }, ['size must be at most 10', 'count must be at most 10']],
    [{ size: Number.POSITIVE_INFINITY }, ['size must be at most 10']],
    [{ size: Number.NaN }, ['size must be at most 10']],
  ])('checks %j', (value, errors) => {
    expect(check(value)).toEqual(errors);
  });
});

describe('the check of an input', () => {
  const check = checkOf(`
    input Given { list: [Item!]! @size(min: 1, max: 2) inner: Given }
    input Item { name: String! @text(max: 3) more: [[Item!]] }`);

  test('finds every field error at any depth, and names its path', () => {
    const item = { name: 'long', more: [null, [{ name: '' }]] };
    expect(check({ list: [item, { name: 'ok' }], inner: { list: [], inner: { list: [item] } } })).toEqual([
      'list.0.name must have at most 3 characters',
      'list.0.more.1.0.name must have at least 1 character',
      'inner.list must have at least 1 item',
      'inner.inner.list.0.name must have at most 3 characters',
      'inner.inner.list.0.more.1.0.name must have at least 1 character',
    ]);
  });

  test('does not look into a list of the wrong size', () => {
    expect(check({ list: Array.from({ length: 3 }, () => ({ name: '' })) })).toEqual([
      'list must have at most 2 items',
    ]);
  });
});

test('withoutRefused empties the refused values of an input and keeps all others', () => {
  const input = { name: 'a\0', size: -1, list: [{ name: 'ok' }, { name: '\ud800', more: null }], other: 'kept' };
  const wrong = { code: 'pattern', message: 'is wrong' } as const;
  const errors = ['name', 'size', 'list.1.name'].map((field) => ({ field, ...wrong }));
  const list = [{ name: 'ok' }, { name: '', more: null }];
  expect(withoutRefused(input, errors)).toEqual({ name: '', size: 0, list, other: 'kept' });
  expect(input.name).toBe('a\0');
});
