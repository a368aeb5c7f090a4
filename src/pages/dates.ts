// Reads days and times as people type them (`02/12/2026 10:00`) and as the fields of a browser send them.

/** The offset of São Paulo, which has had no summer time since 2019. */
const OFFSET = '-03:00';

const DAY = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
/** `10:00`, `10:00:30`, `10h` and `10h30`. */
const CLOCK = /^(\d{1,2})(?:[:h](\d{2})(?::(\d{2}(?:\.\d+)?))?|h)$/i;

const two = (number = ''): string => number.padStart(2, '0');

/**
 * Returns the day in the form of the contract. A text that is not a day is returned unchanged, and the contract refuses
 * it.
 */
export const plainDate = (text: string): string =>
  text.trim().replace(DAY, (_, day, month, year) => `${year}-${two(month)}-${two(day)}`);

/**
 * Returns the time in the form of the contract. Without a zone it is a time of São Paulo; a day alone means its first
 * moment. A text that is not a time is returned unchanged, and the contract refuses it.
 */
export function plainTime(text: string): string {
  const [day = '', clock = '0:00', ...others] = text.trim().split(/\s+|(?<=^\d{4}-\d{2}-\d{2})T/);
  const date = plainDate(day);
  const [isClock, hour, minute = '00', second = '00'] = CLOCK.exec(clock) ?? [];
  if (others.length > 0 || isClock === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return text.trim();
  return `${date}T${two(hour)}:${minute}:${second}${OFFSET}`;
}
