// Days and times as people type them: `02/12/2026`, `02/12/2026 10:00`, and as the fields of a browser send them.

/** São Paulo, which has had no summer time since 2019. */
const OFFSET = '-03:00';

const DAY = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
/** `10:00`, `10:00:30`, `10h` and `10h30`. */
const CLOCK = /^(\d{1,2})(?:[:h](\d{2})(?::(\d{2}(?:\.\d+)?))?|h)$/i;

const two = (number = ''): string => number.padStart(2, '0');

/** The day as the contract writes it; a text that is no day comes back as it is, and the contract refuses it. */
export const plainDate = (text: string): string =>
  text.trim().replace(DAY, (_, day, month, year) => `${year}-${two(month)}-${two(day)}`);

/**
 * The time as the contract writes it, in São Paulo where it names no zone; a day alone is its first moment. A text that
 * is no time comes back as it is, and the contract refuses it.
 */
export function plainTime(text: string): string {
  const [day = '', clock = '0:00', ...others] = text.trim().split(/\s+|(?<=^\d{4}-\d{2}-\d{2})T/);
  const date = plainDate(day);
  const [isClock, hour, minute = '00', second = '00'] = CLOCK.exec(clock) ?? [];
  if (others.length > 0 || isClock === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return text.trim();
  return `${date}T${two(hour)}:${minute}:${second}${OFFSET}`;
}
