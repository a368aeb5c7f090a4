import { isId } from '../base/ids.js';
import { isText } from '../base/values.js';

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
