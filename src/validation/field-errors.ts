import type { ErrorObject } from 'ajv';
import type { DetailCode, FieldError } from '../base/errors.js';
import { isId } from '../base/ids.js';
import { isText, listOf } from '../base/values.js';
import { type PatternTexts, patternTexts } from './document.js';

/** Most errors that are collected: one more than an answer lists, to show that there are more. */
export const MAX_ERRORS = 101;

const formatWordings: Readonly<Record<string, string>> = {
  text: 'valid Unicode text without NUL',
  password: 'valid Unicode text without NUL',
  uuid: 'a UUID',
  email: 'an e-mail address',
  'date-time': 'a time such as 2026-11-20T12:00:00Z',
  date: 'a date such as 2026-11-20',
  uri: 'an absolute URI',
};

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const units = { character: 'characters', item: 'items', property: 'properties' };
type Unit = keyof typeof units;

/** Writes a count with its unit: `1 item`, `2 items`. */
const counted = (number: unknown, unit: Unit): string => `${number} ${number === 1 ? unit : units[unit]}`;

export type Fault = Pick<FieldError, 'code' | 'message'>;
type Params = Readonly<Record<string, unknown>>;

/** An error of ajv: its keyword and the parameters of the keyword. */
export type AjvError = Pick<ErrorObject, 'keyword' | 'params' | 'message'>;

const fault = (code: DetailCode, message: string): Fault => ({ code, message });
const fewest = (code: DetailCode, unit: Unit) => (params: Params) =>
  fault(code, `must have at least ${counted(params['limit'], unit)}`);
const max = (code: DetailCode, unit: Unit) => (params: Params) =>
  fault(code, `must have at most ${counted(params['limit'], unit)}`);

/** The service's code and words for an error, by ajv's keyword. */
const wordings: Readonly<Record<string, (params: Params) => Fault>> = {
  required: () => fault('required', 'is required'),
  additionalProperties: () => fault('unknown_field', 'is not a field of this object'),
  type: ({ type }) => {
    const types = [type].flat().map(String);
    return fault('type', `must be ${types.map((each) => typeNames[each] ?? each).join(' or ')}`);
  },
  enum: ({ allowedValues }) => fault('unknown_value', `must be one of: ${listOf(allowedValues).join(', ')}`),
  format: ({ format }) => fault('pattern', `must be ${formatWordings[String(format)] ?? `a valid ${format}`}`),
  minimum: ({ limit }) => fault('too_small', `must be at least ${limit}`),
  maximum: ({ limit }) => fault('too_large', `must be at most ${limit}`),
  exclusiveMinimum: ({ limit }) => fault('too_small', `must be greater than ${limit}`),
  exclusiveMaximum: ({ limit }) => fault('too_large', `must be less than ${limit}`),
  minLength: fewest('too_short', 'character'),
  maxLength: max('too_long', 'character'),
  minItems: fewest('too_few', 'item'),
  maxItems: max('too_many', 'item'),
  minProperties: fewest('too_few', 'property'),
  maxProperties: max('too_many', 'property'),
  oneOf: () => fault('contradiction', 'must have exactly one of the documented forms'),
  anyOf: () => fault('contradiction', 'must have one of the documented forms'),
  not: () => fault('contradiction', 'must not have this form'),
};

/** The fault of an error. Its message reads well after the name of a field. `patterns` has texts for patterns. */
export function faultOf({ keyword, params, message = 'is not valid' }: AjvError, patterns?: PatternTexts): Fault {
  if (keyword === 'pattern')
    return fault('pattern', `must be ${patterns?.get(String(params['pattern'])) ?? 'in the documented form'}`);
  return wordings[keyword]?.(params) ?? fault('unknown_value', message);
}

/** Most faults of a value, which may have thousands of unknown fields. */
const MAX_FAULTS = 10;

/** Converts ajv's errors to field errors: with dotted path, and the service's code and words. */
export function fieldFaults(errors: readonly ErrorObject[] | null | undefined, document: object): FieldError[] {
  const faults = (errors ?? []).slice(0, MAX_FAULTS).map((error) => {
    const field = error.instancePath.slice(1).replaceAll('/', '.');
    const named = missingOrUnknown(error.params);
    return { field: [field, named].filter(Boolean).join('.'), ...faultOf(error, patternTexts(document)) };
  });
  // Keeps one fault per field and code: a format and its pattern report the same.
  return faults.filter(
    ({ field, code }, at) => faults.findIndex((each) => each.field === field && each.code === code) === at,
  );
}

/** Writes the field errors as lines of text. */
export const wrongFields = (errors: readonly ErrorObject[] | null | undefined, document: object): string[] =>
  fieldFaults(errors, document).map(({ field, message }) => [field, message].filter(Boolean).join(' '));

const missingOrUnknown = (params: object): string =>
  String(Object.entries(params).find(([name]) => /^(additional|missing)Property$/.test(name))?.[1] ?? '');

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isDay = (year: number, month: number, day: number): boolean =>
  year > 0 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/**
 * Tells whether the text is an RFC 3339 time on an existing day. Leap seconds are refused: neither `Date` nor
 * PostgreSQL keeps them.
 */
export function isDateTime(value: string): boolean {
  const [, year, month, day] = DATE_TIME.exec(value) ?? [];
  return isDay(Number(year), Number(month), Number(day));
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Tells whether the text is an existing day, `YYYY-MM-DD`. */
function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  return isDay(Number(year), Number(month), Number(day));
}

/** Formats of the contracts. They are stricter than those of ajv-formats, which accept `urn:uuid:` and 23:59:60. */
export const formats: Readonly<Record<string, (value: string) => boolean>> = {
  text: isText,
  password: isText,
  uuid: isId,
  'date-time': isDateTime,
  date: isDate,
};
