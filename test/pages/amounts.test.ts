import { describe, expect, test } from '@jest/globals';
import { measure, plainAmount, plainNumber } from '../../src/pages/amounts.js';
import { RefusalError } from '../../src/pages/operations.js';

/** The message of the refusal of this text. */
function refusalOf(text: string): string | undefined {
  try {
    plainAmount(text, 'declared_value');
  } catch (error) {
    if (error instanceof RefusalError) return error.details.map(({ field, message }) => `${field} ${message}`).join();
    throw error;
  }
  return undefined;
}

describe('an amount', () => {
  test.each([
    ['1349,90', '1349.90'],
    ['1.349,90', '1349.90'],
    ['1349.90', '1349.90'],
    ['R$ 1.349,90', '1349.90'],
    ['1.349.000,5', '1349000.50'],
    ['1.349.000', '1349000.00'],
    ['349', '349.00'],
    ['0,8', '0.80'],
    ['', ''],
  ])('is read from %j as %j', (text, amount) => {
    expect(plainAmount(text, 'declared_value')).toBe(amount);
  });

  test.each([
    ['1,349.90', '1349.90 or 1.34990'],
    ['1.349', '1349 or 1.349'],
    ['1,349', '1349 or 1.349'],
    ['12,345,678.5', '12345678.5 or 12.3456785'],
  ])('is refused with both readings: %j', (text, readings) => {
    expect(refusalOf(text)).toBe(`declared_value is ${readings}`);
  });

  test.each(['1.34.90', '12.3456,7', 'x', '1 349', '1e3', '--5', '1.3491'])(
    'is left to the contract to refuse: %j',
    (text) => {
      expect(plainNumber(text, 'declared_value')).toBe(text);
    },
  );
});

test.each([
  ['1,2', 1.2],
  ['1.349', 1.349],
  ['1,349', 1.349],
  ['30', 30],
  ['1,349.5', Number.NaN],
  ['leve', Number.NaN],
])('the measure %j is read as %d', (text, size) => {
  expect(measure(text)).toBe(size);
});
