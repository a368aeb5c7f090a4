import { isUtf8 } from 'node:buffer';
import { malformed } from '../base/errors.js';
import type { Bounds } from './bounds.js';

/** Deeper than any contract, and harmless to recursion. */
const MAX_DEPTH = 32;

/** More than any number of a contract has; to read a million of them takes a tenth of a second. */
const MAX_DIGITS = 1_000;

/**
 * Names in a whole text that its contract does not list: most are in open objects, as variables of GraphQL. The engine
 * keeps every new name, and every new sequence of names: 90,000 of them, in one object or in many, take 0.1 to 0.5 s.
 */
export const MAX_OTHER_NAMES = 300;

/** Items that are read beyond those of the contract, so that a list a little too long is reported in full. */
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

/** An array or object that is being read. */
interface Open {
  readonly bounds: Bounds;
  readonly closer: ']' | '}';
  /** Its items, or its members. */
  count: number;
  /** The name that was read last. */
  name: string;
}

/** Counts the items and names of a text against their bounds. */
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

  /** Throws `MALFORMED_REQUEST` for a body that is nested too deep. */
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

  /** Counts an item that ends; true when the list holds more than may be read. */
  isBeyondItems(): boolean {
    const open = this.#opened.at(-1);
    if (open?.closer !== ']') return false;
    open.count += 1;
    return open.count >= 2 * Math.max(0, open.bounds.maxItems) + SPARE_ITEMS;
  }

  /** Notes a name. True when there are too many names that the contract does not list. */
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

/** True for a name of the contract, while none must have come twice; in an open object for as many as it may have. */
const isListed = ({ bounds: { names, maxProperties }, count, name }: Open): boolean =>
  names ? names.has(name) && count <= names.size : Number.isFinite(maxProperties) && count <= maxProperties;

interface Start {
  text: string;
  excess: Excess | undefined;
}

/** The start of a JSON text, completed: its open arrays and objects are closed. */
function startOf(bytes: Buffer, { maxValues, root }: TextBounds): Start {
  const structure = new Structure(root);
  const cutAt = (end: number, excess: Excess): Start => ({
    text: bytes.toString('utf8', 0, end) + structure.closers,
    excess,
  });
  let values = 0;
  let digits = 0;
  // The last place where a cut leaves whole members and items.
  let whole = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    digits = isDigit(byte) ? digits + 1 : 0;
    if (digits > MAX_DIGITS)
      throw malformed('body_malformed', `The body holds a number of more than ${MAX_DIGITS} digits.`);
    // Most bytes are letters and digits, which decide nothing.
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

/** True when a colon follows the string that ends there. */
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
 * Reads a JSON value, or the start of one that exceeds its bounds, at a bounded cost: counts before parsing, which
 * takes 100 times as long. Throws `MALFORMED_REQUEST`.
 */
export function readJson(bytes: Buffer, bounds: TextBounds): { value: unknown; excess: Excess | undefined } {
  if (!isUtf8(bytes)) throw malformed('body_malformed', 'The body is not valid UTF-8.');
  const { text, excess } = startOf(bytes, bounds);
  return { value: parsed(text), excess };
}

/**
 * Reads the start of a text that has not arrived in full. Undefined while it keeps within its bounds. Throws
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
