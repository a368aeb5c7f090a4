import type { FieldError } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import { isFields, isText } from '../../base/values.js';
import { type Document, patternTexts } from '../document.js';
import type { Operation } from '../operation.js';

/**
 * One complaint of the validator: `path` is `/body/items/0/quantity`, `/query/page`, `/params/id` or
 * `/headers/if-match`.
 */
interface Complaint {
  readonly path: readonly string[];
  readonly message: string;
}

function complaintsOf(errors: readonly unknown[]): Complaint[] {
  return errors.filter(isFields).map(({ path, message }) => ({
    path: String(path)
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    message: String(message),
  }));
}

function fieldOf({ path: [place, ...rest] }: Complaint, operation: Operation): string {
  const name = rest.join('.');
  if (place === 'headers') return operation.headerNames.get(name) ?? name;
  return name === '' ? (place ?? '') : name;
}

/** As many as are ever listed, and one more to show that the list is longer. */
export const MAX_ERRORS = 101;

/**
 * Adds the validator's errors to the field errors that were `reported` before it was asked: by a dotted path without its place, in the
 * contract's own names, each listed once. A field that has been reported is not reported again.
 */
export function addFieldErrors(
  reported: readonly FieldError[],
  errors: readonly unknown[],
  document: Document,
  operation: Operation,
): FieldError[] {
  const reportedFields = new Set(reported.map(({ field }) => field));
  const others = complaintsOf(errors)
    .map((complaint) => ({
      field: fieldOf(complaint, operation),
      message: fieldMessage(complaint.message, patternTexts(document)),
    }))
    .filter(({ field }) => !reportedFields.has(field));
  const unique = new Map(others.map((each) => [`${each.field}\n${each.message}`, each]));
  return [...reported, ...unique.values()];
}

/** Formats in words. */
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

/** ajv's wording → ours; `$1`, `$2` are the groups of the pattern. */
const wordings: readonly [pattern: RegExp, write: (...groups: string[]) => string][] = [
  [/^must have required property/, () => 'is required'],
  [/^must NOT have additional properties$/, () => 'is not a field of this object'],
  [
    /^must be ((?:string|integer|number|boolean|array|object|null)(?:,\w+)*)$/,
    (types) =>
      `must be ${types
        .split(',')
        .map((type) => typeNames[type] ?? type)
        .join(' or ')}`,
  ],
  [/^must be equal to one of the allowed values: (.*)$/s, (values) => `must be one of: ${values}`],
  [/^must match format "(.+)"$/, (format) => `must be ${formatWordings[format] ?? `a valid ${format}`}`],
  [PATTERN, () => 'must be in the documented form'],
  [/^must be >= (.+)$/, (bound) => `must be at least ${bound}`],
  [/^must be <= (.+)$/, (bound) => `must be at most ${bound}`],
  [/^must be > (.+)$/, (bound) => `must be greater than ${bound}`],
  [/^must be < (.+)$/, (bound) => `must be less than ${bound}`],
  [/^must be multiple of (.+)$/, (step) => `must be a multiple of ${step}`],
  [/^must NOT have fewer than (\d+) (\w+)$/, (number, unit) => `must have at least ${count(number, unit)}`],
  [/^must NOT have more than (\d+) (\w+)$/, (number, unit) => `must have at most ${count(number, unit)}`],
  [/^must NOT have duplicate items/, () => 'must not hold the same item twice'],
  [/^must match exactly one schema in oneOf$/, () => 'must have exactly one of the documented forms'],
  [/^must match a schema in anyOf$/, () => 'must have one of the documented forms'],
  [/^must NOT be valid$/, () => 'must not have this form'],
];

/**
 * Rewrites a message of the validator so that it reads after a field's name: `page_size must be at most 100`. `patterns`
 * says in words what the patterns that it holds demand.
 */
export function fieldMessage(message: string, patterns: ReadonlyMap<string, string> = new Map()): string {
  const text = patterns.get(PATTERN.exec(message)?.[1] ?? '');
  if (text !== undefined) return `must be ${text}`;
  for (const [pattern, write] of wordings) {
    const match = pattern.exec(message);
    if (match) return write(...match.slice(1));
  }
  return message;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isDay = (year: number, month: number, day: number): boolean =>
  year > 0 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** RFC 3339 with a day that exists and without leap seconds, which neither `Date` nor PostgreSQL keeps. */
function isDateTime(value: string): boolean {
  const [, year, month, day] = DATE_TIME.exec(value) ?? [];
  return isDay(Number(year), Number(month), Number(day));
}

/**
 * Formats of the contracts beside, and stricter than, those of ajv-formats (which lets `urn:uuid:` and 23:59:60 pass).
 */
export const formats: Readonly<Record<string, (value: string) => boolean>> = {
  text: isText,
  password: isText,
  uuid: isId,
  'date-time': isDateTime,
};
