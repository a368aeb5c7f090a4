import { computedOnce, type Fields, isFields, listOf } from '../base/values.js';
import { resolve } from './document.js';
import { isReading, readings, type TextReading } from './readings.js';

/**
 * Reads a value by its schema, before validation. A text is read by its `x-reading`. An empty text in an optional field
 * counts as left out, unless the schema allows an empty text. Changes objects and arrays in place.
 */
export type ReadValue = (value: unknown) => unknown;

export const unread: ReadValue = (value) => value;

export interface ReadField {
  readonly name: string;
  readonly read: ReadValue;
  /** True if an empty text counts as left out. */
  readonly mayBeLeftOut: boolean;
}

export const textReader =
  (reading: TextReading): ReadValue =>
  (value) =>
    typeof value === 'string' ? readings[reading](value) : value;

/** Reads the items of an array, up to its bound. A longer array is refused anyway. */
export function itemsReader(read: ReadValue, maxItems: number): ReadValue {
  if (read === unread) return unread;
  return (value) => {
    if (!Array.isArray(value)) return value;
    for (let index = 0; index < value.length && index < maxItems; index += 1) value[index] = read(value[index]);
    return value;
  };
}

export function fieldsReader(fields: readonly ReadField[]): ReadValue {
  const relevant = fields.filter(({ read, mayBeLeftOut }) => read !== unread || mayBeLeftOut);
  if (relevant.length === 0) return unread;
  return (value) => {
    if (!isFields(value)) return value;
    for (const { name, read, mayBeLeftOut } of relevant) {
      if (!Object.hasOwn(value, name)) continue;
      if (mayBeLeftOut && value[name] === '') Reflect.deleteProperty(value, name);
      else Reflect.set(value, name, read(value[name]));
    }
    return value;
  };
}

/** The reading for a text of the schema. */
export function readingOf(schema: Fields): TextReading | undefined {
  return knownReading(schema['x-reading'] ?? (schema['format'] === 'date-time' ? 'time' : undefined));
}

/** Returns the name of a reading. Throws for an unknown name. */
export function knownReading(name: unknown): TextReading | undefined {
  if (name === undefined || isReading(name)) return name;
  throw new Error(`The contract names an unknown reading: ${String(name)}.`);
}

/** Makes a reader for the values of a schema. A schema without readings costs nothing. */
export function valueReading(document: object, schema: unknown): ReadValue {
  const readingIn = computedOnce((node: Fields): ReadValue => compile(node));
  const byNode = (node: unknown): ReadValue => {
    const resolved = resolve(document, node);
    return isFields(resolved) ? readingIn(resolved) : unread;
  };

  function compile(node: Fields): ReadValue {
    const reading = readingOf(node);
    if (reading !== undefined) return textReader(reading);
    const maxItems = Number(node['maxItems'] ?? Number.POSITIVE_INFINITY);
    if (node['items'] !== undefined) return itemsReader(byNode(node['items']), maxItems);
    return fieldsReader(fieldsOf(document, node, byNode));
  }

  return byNode(schema);
}

/** The fields of an object, including those in `allOf`, `oneOf` and `anyOf`. */
function fieldsOf(document: object, node: Fields, byNode: (node: unknown) => ReadValue): ReadField[] {
  const parts = [node, ...partsOf(document, node, 'allOf'), ...choicesOf(document, node)];
  const required = requiredIn(document, node);
  const schemas = new Map(parts.flatMap(({ properties }) => (isFields(properties) ? Object.entries(properties) : [])));
  return [...schemas].map(([name, schema]) => {
    const mayBeLeftOut = !required.has(name) && !allowsEmpty(resolve(document, schema));
    return { name, read: byNode(schema), mayBeLeftOut };
  });
}

const partsOf = (document: object, node: Fields, keyword: string): Fields[] =>
  listOf(node[keyword])
    .map((part) => resolve(document, part))
    .filter(isFields);

const choicesOf = (document: object, node: Fields): Fields[] => [
  ...partsOf(document, node, 'oneOf'),
  ...partsOf(document, node, 'anyOf'),
];

/** The names that a value must have in each of its choices. */
function requiredIn(document: object, node: Fields): ReadonlySet<string> {
  const choices = choicesOf(document, node).map((choice) => requiredIn(document, choice));
  const [first, ...others] = choices;
  const inAll = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
  const ofParts = partsOf(document, node, 'allOf').flatMap((part) => [...requiredIn(document, part)]);
  return new Set([...listOf(node['required']).map(String), ...ofParts, ...inAll]);
}

function allowsEmpty(schema: unknown): boolean {
  if (!isFields(schema) || schema['type'] !== 'string') return false;
  const { minLength = 0, pattern, format, enum: values } = schema;
  if (Number(minLength) > 0 || (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(''))) return false;
  if (Array.isArray(values)) return values.includes('');
  return format === undefined || format === 'text' || format === 'password';
}
