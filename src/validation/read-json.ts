import { isUtf8 } from 'node:buffer';
import { malformed } from '../base/errors.js';
import type { Bounds } from './bounds.js';

/** Most levels of nesting: more than any contract has, and safe for recursion. */
const MAX_DEPTH = 32;

/** Most digits of a number: more than any contract has. To read a million digits takes a tenth of a second. */
const MAX_DIGITS = 1_000;

/**
 * Most names in a text that its contract does not list. Most such names are in open objects, like variables of GraphQL.
 * The engine keeps every new name and every new sequence of names. 90,000 of them, in one object or in many, take 0.1
 * to 0.5 s.
 */
export const MAX_OTHER_NAMES = 300;

/** Items that are read beyond the contract's maximum, so that a slightly too long list is reported in full. */
const SPARE_ITEMS = 100;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING_ARRAY = 0x5b;
const OPENING_OBJECT = 0x7b;
const CLOSING = new Set([0x5d, 0x7d]);

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The bound that a text exceeds. */
type Excess = 'values' | 'items' | 'names';

/** An array or object whose end was not read yet. */
interface Open {
  readonly bounds: Bounds;
  readonly closer: ']' | '}';
  /** Count of the items or members so far. */
  count: number;
  /** The latest name. */
  name: string;
}

/** Counts the items and names of a text, and compares them with the bounds. */
class Structure {
  readonly #opened: Open[] = [];
  #otherNames = 0;

  constructor(private readonly root: Bounds) {}

  get closers(): string {
    return this.#opened
      .map(({ closer }) => closer)
      .reverse()
      .join('');
  }

  /** Enters an array or object. Throws `MALFORMED_REQUEST` for a body that is nested too deep. */
  open(closer: Open['closer']): void {
    const parent = this.#opened.at(-1);
    const inside = parent?.closer === ']' ? parent.bounds.items() : parent?.bounds.property(parent.name);
    if (this.#opened.length >= MAX_DEPTH)
      throw malformed('body_malformed', `The body is nested more than ${MAX_DEPTH} levels deep.`);
    this.#opened.push({ bounds: inside ?? this.root, closer, count: 0, name: '' });
  }

  close(): void {
    this.#opened.pop();
  }

  /** Counts an item at its end. True if the list has more items than may be read. */
  isBeyondItems(): boolean {
    const open = this.#opened.at(-1);
    if (open?.closer !== ']') return false;
    open.count += 1;
    return open.count >= 2 * Math.max(0, open.bounds.maxItems) + SPARE_ITEMS;
  }

  /** Counts a name. True if too many names are not listed in the contract. */
  isBeyondNames(text: string): boolean {
    const open = this.#opened.at(-1);
    if (open?.closer !== '}') return false;
    open.count += 1;
    open.name = text.includes('\\') ? unescaped(text) : text;
    if (isListed(open)) return false;
    this.#otherNames += 1;
    return this.#otherNames > MAX_OTHER_NAMES;
  }
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/**
 * True for a listed name, unless names must have been repeated. In an open object, true for as many names as it may
 * have.
 */
const isListed = ({ bounds: { names, maxProperties }, count, name }: Open): boolean =>
  names ? names.has(name) && count <= names.size : Number.isFinite(maxProperties) && count <= maxProperties;

interface Start {
  text: string;
  excess: Excess | undefined;
}

/** The start of a JSON text up to a bound, with its open arrays and objects closed. */
function startOf(bytes: Buffer, { maxValues, root }: TextBounds): Start {
  const structure = new Structure(root);
  const cutAt = (end: number, excess: Excess): Start => ({
    text: bytes.toString('utf8', 0, end) + structure.closers,
    excess,
  });
  let values = 0;
  let digits = 0;
  // The latest position at which a cut leaves only complete members and items.
  let whole = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    digits = isDigit(byte) ? digits + 1 : 0;
    if (digits > MAX_DIGITS)
      throw malformed('body_malformed', `The body holds a number of more than ${MAX_DIGITS} digits.`);
    // Most bytes are letters and digits, which matter to none of the branches.
    if (byte === QUOTE) {
      const start = at + 1;
      at = endOfString(bytes, at);
      if (isName(bytes, at) && structure.isBeyondNames(bytes.toString('utf8', start, at))) return cutAt(whole, 'names');
    } else if (byte === COMMA) {
      values += 1;
      whole = at;
      if (values > maxValues) return cutAt(at, 'values');
      if (structure.isBeyondItems()) return cutAt(at, 'items');
    } else if (CLOSING.has(byte)) structure.close();
    else if (byte === OPENING_ARRAY || byte === OPENING_OBJECT) {
      values += 1;
      structure.open(byte === OPENING_ARRAY ? ']' : '}');
      whole = at + 1;
    }
  }
  return { text: bytes.toString('utf8'), excess: undefined };
}

/** Tells whether a colon follows the string that ends at `end`. */
function isName(bytes: Buffer, end: number): boolean {
  let at = end + 1;
  while ((bytes[at] ?? COLON) <= 0x20) at += 1;
  return bytes[at] === COLON;
}

export interface JsonStart {
  value: unknown;
  excess: Excess;
}

export interface TextBounds {
  readonly maxValues: number;
  readonly root: Bounds;
}

/**
 * Reads a JSON value at a bounded cost, or only its start if it exceeds its bounds. Counts before it parses, because
 * parsing takes 100 times as long. Throws `MALFORMED_REQUEST`.
 */
export function readJson(bytes: Buffer, bounds: TextBounds): { value: unknown; excess: Excess | undefined } {
  if (!isUtf8(bytes)) throw malformed('body_malformed', 'The body is not valid UTF-8.');
  const { text, excess } = startOf(bytes, bounds);
  return { value: parsed(text), excess };
}

/**
 * Reads the start of a text that has not arrived completely. Undefined while the text is within its bounds. Throws
 * `MALFORMED_REQUEST`.
 */
export function readExcess(bytes: Buffer, bounds: TextBounds): JsonStart | undefined {
  const { text, excess } = startOf(bytes, bounds);
  return excess && { value: parsed(text), excess };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw malformed('body_malformed', 'The body is not valid JSON.');
  }
}
