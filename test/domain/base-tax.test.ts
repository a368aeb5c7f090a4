import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkDigit, readAccessKey, readTaxId } from '../../src/base/tax.js';

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const textOf = (characters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: length, maxLength: length });

const withDigits = (text: string, maxWeight: number): string => {
  const first = checkDigit(text, maxWeight);
  return `${text}${first}${checkDigit(`${text}${first}`, maxWeight)}`;
};
const isIssued = (value: string): boolean => new Set(value).size > 1;
const cpfs = textOf(DIGITS, 9)
  .map((text) => withDigits(text, 11))
  .filter(isIssued);
const cnpjs = textOf(DIGITS + LETTERS, 12)
  .map((text) => withDigits(text, 9))
  .filter(isIssued);

const keys = fc
  .tuple(fc.constantFrom('35', '11', '53'), textOf(DIGITS, 2), fc.constantFrom('01', '12'), cnpjs, textOf(DIGITS, 21))
  .map(([state, year, month, issuer, rest]) => `${state}${year}${month}${issuer}55${rest.slice(0, 21)}`)
  .map((text) => `${text}${checkDigit(text, 9)}`);

/** A text, and the same text with one character replaced: a digit by a digit, or a letter by a letter. */
const mistaken = (texts: fc.Arbitrary<string>) =>
  texts.chain((text) =>
    fc.tuple(fc.nat(text.length - 1), fc.constantFrom(...DIGITS, ...LETTERS)).map(([at, character]) => ({
      text,
      at,
      other: `${text.slice(0, at)}${character}${text.slice(at + 1)}`,
    })),
  );

/**
 * Modulo 11 misses two kinds of wrong characters: a difference by a multiple of 11, and a change of the remainder
 * between 0 and 1, which give the same check digit.
 */
function isSeen(text: string, other: string, at: number, maxWeight: number): boolean {
  const remainder = (value: string): number =>
    [...value].reverse().reduce((sum, character, place) => {
      return sum + (character.charCodeAt(0) - 48) * (2 + (place % (maxWeight - 1)));
    }, 0) % 11;
  const isMultiple = (text.charCodeAt(at) - other.charCodeAt(at)) % 11 === 0;
  const folds = [1, 2].some((cut) => remainder(text.slice(0, -cut)) < 2 && remainder(other.slice(0, -cut)) < 2);
  return !isMultiple && !folds;
}

describe('a tax id', () => {
  test.each([
    ['529.982.247-25', 'cpf', '52998224725'],
    ['52998224725', 'cpf', '52998224725'],
    ['12.ABC.345/01DE-35', 'cnpj', '12ABC34501DE35'],
    ['12abc34501de35', 'cnpj', '12ABC34501DE35'],
    ['00.000.000/0001-91', 'cnpj', '00000000000191'],
  ])('is read from %s', (text, kind, value) => {
    expect(readTaxId(text)).toEqual({ kind, value });
  });

  test.each([
    ['another check digit', '529.982.247-26'],
    ['one digit again and again, which is never issued', '111.111.111-11'],
    ['the same of a company', '00.000.000/0000-00'],
    ['punctuation at other places', '529-982.247.25'],
    ['letters in the check digits', '12ABC34501DE3A'],
    ['a letter that is no ASCII', '12ÁBC34501DE35'],
    ['a letter that becomes two in upper case', '12ﬀC34501DE35'],
    ['a digit too few', '5299822472'],
    ['nothing', ''],
  ])('is refused: %s', (_, text) => {
    expect(readTaxId(text)).toBeUndefined();
  });

  test.each([
    ['CPF', cpfs, 11],
    ['CNPJ', cnpjs, 9],
  ] as const)('a wrong character of a %s is found', (_, texts, maxWeight) => {
    fc.assert(
      fc.property(mistaken(texts), ({ text, at, other }) => {
        fc.pre(other !== text && isSeen(text, other, at, maxWeight));
        expect(readTaxId(text)?.value).toBe(text);
        expect(readTaxId(other)).toBeUndefined();
      }),
    );
  });
});

describe('an access key', () => {
  const company = '3526 0912 ABC3 4501 DE35 5500 1000 0012 3412 3456 789';
  const key = `${company}${checkDigit(company.replaceAll(' ', ''), 9)}`;

  test('is read, in groups of four or not', () => {
    const read = {
      kind: 'nfe',
      value: key.replaceAll(' ', ''),
      issuer: { kind: 'cnpj', value: '12ABC34501DE35' },
      number: '1234',
    };
    expect(readAccessKey(key)).toEqual(read);
    expect(readAccessKey(read.value)).toEqual(read);
    expect(readAccessKey('35080599999090910270550010000000015180051273')).toMatchObject({ kind: 'nfe', number: '1' });
  });

  test('begins with 000 for a person, and has its own model for a declaration of content', () => {
    const text = '35260900052998224725990000000000071000000010'.slice(0, 43);
    expect(readAccessKey(`${text}${checkDigit(text, 9)}`)).toMatchObject({
      kind: 'dce',
      issuer: { kind: 'cpf', value: '52998224725' },
      number: '7',
    });
  });

  test.each([
    ['a state that is none', (bare: string) => `34${bare.slice(2)}`],
    ['a thirteenth month', (bare: string) => `${bare.slice(0, 4)}13${bare.slice(6)}`],
    ['another model', (bare: string) => `${bare.slice(0, 20)}57${bare.slice(22)}`],
    ['an issuer with a wrong check digit', (bare: string) => `${bare.slice(0, 19)}6${bare.slice(20)}`],
    ['a letter where digits stand', (bare: string) => `${bare.slice(0, 30)}A${bare.slice(31)}`],
    ['one character too few', (bare: string) => bare.slice(1)],
  ])('is refused with %s', (_, change) => {
    const changed = change(key.replaceAll(' ', '')).slice(0, -1);
    expect(readAccessKey(`${changed}${checkDigit(changed, 9)}`)).toBeUndefined();
  });

  test('is refused with one wrong character', () => {
    fc.assert(
      fc.property(mistaken(keys), ({ text, at, other }) => {
        fc.pre(other !== text && isSeen(text, other, at, 9));
        expect(readAccessKey(text)?.value).toBe(text);
        expect(readAccessKey(other)).toBeUndefined();
      }),
    );
  });
});
