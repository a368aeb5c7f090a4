import { isUtf8 } from 'node:buffer';
import { malformed } from '../errors.js';

/** Deeper than any contract, and harmless to recursion. */
const MAX_DEPTH = 32;

/** More than any number of a contract has; to read a million of them takes a tenth of a second. */
const MAX_DIGITS = 1_000;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const closerOf = new Map([
  [0x5b, ']'],
  [0x7b, '}'],
]);
const CLOSING = new Set([0x5d, 0x7d]);

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The start of a JSON text, with its arrays and objects closed. */
function startOf(bytes: Buffer, maxValues: number): { text: string; isWhole: boolean } {
  const closers: string[] = [];
  let values = 0;
  let digits = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    digits = isDigit(byte) ? digits + 1 : 0;
    if (digits > MAX_DIGITS)
      throw malformed('body_malformed', `The body holds a number of more than ${MAX_DIGITS} digits.`);
    // Most bytes are letters and digits, which decide nothing.
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) {
      values += 1;
      if (values > maxValues)
        return { text: bytes.toString('utf8', 0, at) + closers.reverse().join(''), isWhole: false };
    } else if (CLOSING.has(byte)) closers.pop();
    else if (closerOf.has(byte)) {
      values += 1;
      closers.push(closerOf.get(byte) ?? '');
      if (closers.length > MAX_DEPTH)
        throw malformed('body_malformed', `The body is nested more than ${MAX_DEPTH} levels deep.`);
    }
  }
  return { text: bytes.toString('utf8'), isWhole: true };
}

/**
 * Reads a JSON value, or the start of one that holds too many values, at a bounded cost: counts before parsing, which
 * takes 100 times as long. Throws `MALFORMED_REQUEST`.
 */
export function readJson(bytes: Buffer, maxValues: number): { value: unknown; isWhole: boolean } {
  if (!isUtf8(bytes)) throw malformed('body_malformed', 'The body is not valid UTF-8.');
  const { text, isWhole } = startOf(bytes, maxValues);
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')), isWhole };
  } catch {
    throw malformed('body_malformed', 'The body is not valid JSON.');
  }
}
