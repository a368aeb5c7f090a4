import type { FieldError } from '../base/errors.js';
import { type Fields, isFields, listOf } from '../base/values.js';
import { resolve } from './document.js';
import { type AjvError, faultOf, MAX_ERRORS } from './field-errors.js';

/**
 * The bounds that a contract sets to a value. They are applied before validation, because validators read the whole
 * value.
 */
export interface Bounds {
  readonly maxLength: number;
  readonly maxItems: number;
  readonly maxProperties: number;
  /** The allowed names of an object. Undefined if any name is allowed. */
  readonly names: ReadonlySet<string> | undefined;
  property(name: string): Bounds;
  items(): Bounds;
}

const constant = (bound: number): Bounds => {
  const self: Bounds = {
    ...{ maxLength: bound, maxItems: bound, maxProperties: bound, names: undefined },
    property: () => self,
    items: () => self,
  };
  return self;
};
export const unboundedValue = constant(Number.POSITIVE_INFINITY);
const nothing = constant(-1);

type Names = Bounds['names'];
const common = (a: Names, b: Names): Names => (a && b ? new Set([...a].filter((name) => b.has(name))) : (a ?? b));
const united = (a: Names, b: Names): Names => (a && b ? new Set([...a, ...b]) : undefined);

/** Makes the bounds of each property only once. There are no more than the names in the contract. */
function memoized(make: (name: string) => Bounds): (name: string) => Bounds {
  const boundsByName = new Map<string, Bounds>();
  return (name) => {
    const bounds = boundsByName.get(name) ?? make(name);
    boundsByName.set(name, bounds);
    return bounds;
  };
}

function combine(pick: (a: number, b: number) => number, names: (a: Names, b: Names) => Names) {
  return (a: Bounds, b: Bounds): Bounds => {
    const both = combine(pick, names);
    const property = memoized((name) => both(a.property(name), b.property(name)));
    const items = memoized(() => both(a.items(), b.items()));
    return {
      maxLength: pick(a.maxLength, b.maxLength),
      maxItems: pick(a.maxItems, b.maxItems),
      maxProperties: pick(a.maxProperties, b.maxProperties),
      names: names(a.names, b.names),
      property,
      items: () => items(''),
    };
  };
}
const both = combine(Math.min, common);
const either = combine(Math.max, united);

const numberOf = (schema: Fields, name: string): number =>
  typeof schema[name] === 'number' ? schema[name] : Number.POSITIVE_INFINITY;

function ownBounds(document: object, schema: Fields): Bounds {
  const properties = isFields(schema['properties']) ? schema['properties'] : {};
  const isClosed = schema['additionalProperties'] === false;
  const others = memoized(() => (isClosed ? nothing : boundsOf(document, schema['additionalProperties'])));
  const propertyBounds = memoized((name) => boundsOf(document, properties[name]));
  const items = memoized(() => boundsOf(document, schema['items']));
  return {
    maxLength: numberOf(schema, 'maxLength'),
    maxItems: numberOf(schema, 'maxItems'),
    maxProperties: numberOf(schema, 'maxProperties'),
    names: isClosed ? new Set(Object.keys(properties)) : undefined,
    property: (name) => (Object.hasOwn(properties, name) ? propertyBounds(name) : others('')),
    items: () => items(''),
  };
}

/** The bounds of a schema: the tightest of `allOf`, the widest of `oneOf` and `anyOf`. */
function boundsOf(document: object, schema: unknown): Bounds {
  const resolved = resolve(document, schema);
  if (!isFields(resolved)) return unboundedValue;
  const choices = [listOf(resolved['oneOf']), listOf(resolved['anyOf'])].filter((branches) => branches.length > 0);
  return [
    ...listOf(resolved['allOf']).map((part) => boundsOf(document, part)),
    ...choices.map((branches) => branches.map((branch) => boundsOf(document, branch)).reduce(either)),
  ].reduce(both, ownBounds(document, resolved));
}

class Trimmer {
  readonly fieldErrors: FieldError[] = [];
  private readonly path: (string | number)[] = [];

  trim(value: unknown, bounds: Bounds): unknown {
    if (typeof value === 'string') return this.text(value, bounds);
    if (Array.isArray(value)) return this.array(value, bounds);
    return isFields(value) ? this.object(value, bounds) : value;
  }

  private report(error: AjvError, ...name: string[]): void {
    if (this.fieldErrors.length >= MAX_ERRORS) return;
    this.fieldErrors.push({ field: [...this.path, ...name].join('.') || 'body', ...faultOf(error) });
  }

  private text(value: string, { maxLength }: Bounds): string {
    if (value.length <= maxLength) return value;
    // A character takes at most two UTF-16 units.
    const start = Array.from(value.slice(0, 2 * maxLength + 2));
    if (start.length <= maxLength) return value;
    this.report({ keyword: 'maxLength', params: { limit: maxLength } });
    return start.slice(0, maxLength).join('');
  }

  private array(value: readonly unknown[], bounds: Bounds): readonly unknown[] {
    if (value.length > bounds.maxItems) this.report({ keyword: 'maxItems', params: { limit: bounds.maxItems } });
    return value.slice(0, bounds.maxItems).map((item, index) => this.inside(index, item, bounds.items()));
  }

  private object(value: Fields, bounds: Bounds): Fields {
    const { names, maxProperties } = bounds;
    const fields = Object.keys(value);
    if (fields.length > maxProperties) this.report({ keyword: 'maxProperties', params: { limit: maxProperties } });
    const within: [string, unknown][] = [];
    for (const name of fields) {
      if (names?.has(name) === false) this.report({ keyword: 'additionalProperties', params: {} }, name);
      else if (within.length < maxProperties)
        within.push([name, this.inside(name, value[name], bounds.property(name))]);
    }
    return Object.fromEntries(within);
  }

  private inside(step: string | number, value: unknown, bounds: Bounds): unknown {
    this.path.push(step);
    const trimmed = this.trim(value, bounds);
    this.path.pop();
    return trimmed;
  }
}

export interface BodyBounds {
  /**
   * Most arrays, objects and commas to read. It allows some extra, so that a slightly too large body is reported in
   * full.
   */
  readonly maxValues: number;
  /** The bounds of the whole body, and through it of each value. */
  readonly root: Bounds;
  /**
   * Returns the body, or a copy without the parts that break a bound. Each field error names a field and its bound, or
   * a field that the contract does not know.
   */
  readonly trim: (body: unknown) => { readonly value: unknown; readonly fieldErrors: readonly FieldError[] };
}

const SPARE_VALUES = 1_000;
const MAX_VALUES = 100_000;

/** Counts the values that a value of the schema can hold, including itself. */
function valuesIn(document: object, schema: unknown, depth = 0): number {
  const resolved = resolve(document, schema);
  if (!isFields(resolved) || depth > 32) return 1;
  const inside = (part: unknown): number => valuesIn(document, part, depth + 1);
  const properties = isFields(resolved['properties']) ? Object.values(resolved['properties']) : [];
  const items = resolved['items'] === undefined ? 0 : numberOf(resolved, 'maxItems') * inside(resolved['items']);
  const parts = [
    ...properties,
    ...listOf(resolved['allOf']),
    ...listOf(resolved['oneOf']),
    ...listOf(resolved['anyOf']),
  ];
  return parts.map(inside).reduce((sum, each) => sum + each, 1 + items);
}

export function bodyBounds(document: object, schema: unknown): BodyBounds {
  const root = boundsOf(document, schema);
  const maxValues = Math.min(MAX_VALUES, SPARE_VALUES + 2 * valuesIn(document, schema));
  const trim: BodyBounds['trim'] = (body) => {
    const trimming = new Trimmer();
    const value = trimming.trim(body, root);
    return trimming.fieldErrors.length > 0
      ? { value, fieldErrors: trimming.fieldErrors }
      : { value: body, fieldErrors: [] };
  };
  return { maxValues, root, trim };
}
