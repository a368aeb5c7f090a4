import type { ErrorObject } from 'ajv';
import type { DetailCode, FieldError } from '../errors.js';
import { isId } from '../ids.js';
import { isText } from '../values.js';
import { patternTexts } from './document.js';

/** As many as are ever listed, and one more to show that the list is longer. */
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

const count = (number: string, unit: string): string =>
  `${number} ${number === '1' && unit.endsWith('s') ? unit.slice(0, -1) : unit}`;

const PATTERN = /^must match pattern "(.+)"$/s;

type Fault = Pick<FieldError, 'code' | 'message'>;

/** ajv's wording → our code and wording; `$1`, `$2` are the groups of the pattern. */
const wordings: readonly [pattern: RegExp, code: DetailCode, write: (...groups: string[]) => string][] = [
  [/^must have required property/, 'required', () => 'is required'],
  [/^must NOT have additional properties$/, 'unknown_field', () => 'is not a field of this object'],
  [
    /^must be ((?:string|integer|number|boolean|array|object|null)(?:,\w+)*)$/,
    'type',
    (types) =>
      `must be ${types
        .split(',')
        .map((type) => typeNames[type] ?? type)
        .join(' or ')}`,
  ],
  [/^must be equal to one of the allowed values: (.*)$/s, 'unknown_value', (values) => `must be one of: ${values}`],
  [/^must match format "(.+)"$/, 'pattern', (format) => `must be ${formatWordings[format] ?? `a valid ${format}`}`],
  [PATTERN, 'pattern', () => 'must be in the documented form'],
  [/^must be >= (.+)$/, 'too_small', (bound) => `must be at least ${bound}`],
  [/^must be <= (.+)$/, 'too_large', (bound) => `must be at most ${bound}`],
  [/^must be > (.+)$/, 'too_small', (bound) => `must be greater than ${bound}`],
  [/^must be < (.+)$/, 'too_large', (bound) => `must be less than ${bound}`],
  [/^must NOT have fewer than (\d+) (characters)$/, 'too_short', atLeast],
  [/^must NOT have fewer than (\d+) (\w+)$/, 'too_few', atLeast],
  [/^must NOT have more than (\d+) (characters)$/, 'too_long', atMost],
  [/^must NOT have more than (\d+) (\w+)$/, 'too_many', atMost],
  [/^must match exactly one schema in oneOf$/, 'contradiction', () => 'must have exactly one of the documented forms'],
  [/^must match a schema in anyOf$/, 'contradiction', () => 'must have one of the documented forms'],
  [/^must NOT be valid$/, 'contradiction', () => 'must not have this form'],
];

function atLeast(number: string, unit: string): string {
  return `must have at least ${count(number, unit)}`;
}

function atMost(number: string, unit: string): string {
  return `must have at most ${count(number, unit)}`;
}

/** The fault that a validator's message says, to be read after a field's name; `patterns` says what patterns demand. */
export function faultOf(message: string, patterns: ReadonlyMap<string, string> = new Map()): Fault {
  const text = patterns.get(PATTERN.exec(message)?.[1] ?? '');
  if (text !== undefined) return { code: 'pattern', message: `must be ${text}` };
  for (const [pattern, code, write] of wordings) {
    const match = pattern.exec(message);
    if (match) return { code, message: write(...match.slice(1)) };
  }
  return { code: 'unknown_value', message };
}

/** A value may have thousands of unknown fields. */
const MOST_FAULTS = 10;

/** Errors of a value in the service's words, each after its field's dotted path. */
export function wrongFields(errors: readonly ErrorObject[] | null | undefined, document: object): string[] {
  const faults = (errors ?? []).slice(0, MOST_FAULTS).map(({ instancePath, message = '', params }) => {
    const field = instancePath.slice(1).replaceAll('/', '.');
    return [field, faultOf(message, patternTexts(document)).message, missingOrUnknown(params)]
      .filter(Boolean)
      .join(' ');
  });
  // A format and its pattern say the same.
  return [...new Set(faults)];
}

function missingOrUnknown(params: object): string {
  const [, field] = Object.entries(params).find(([name]) => /^(additional|missing)Property$/.test(name)) ?? [];
  return field === undefined ? '' : `(${String(field)})`;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isDay = (year: number, month: number, day: number): boolean =>
  year > 0 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** RFC 3339 with a day that exists and without leap seconds, which neither `Date` nor PostgreSQL keeps. */
export function isDateTime(value: string): boolean {
  const [, year, month, day] = DATE_TIME.exec(value) ?? [];
  return isDay(Number(year), Number(month), Number(day));
}

/** Formats of the contracts, stricter than those of ajv-formats, which lets `urn:uuid:` and 23:59:60 pass. */
export const formats: Readonly<Record<string, (value: string) => boolean>> = {
  text: isText,
  password: isText,
  uuid: isId,
  'date-time': isDateTime,
};
