import type { Fields } from '../../src/base/values.js';
import { resolved } from '../codegen/openapi.js';
import { fields, list, lowers, uppers } from './description.js';
import { isWithin } from './patterns.js';

/**
 * Changes that break receivers of the tracking payload. The service sends it: all that it sends now must have been
 * possible before: every promise of the released schema must hold in the current one. Fields may be added, as receivers
 * accept those that they do not know.
 */

interface Pair {
  readonly before: Fields;
  readonly now: Fields;
  readonly path: string;
}

const typesOf = ({ type }: Fields): readonly unknown[] => [type ?? []].flat();
/** A form for each type that a value may have. */
const byType = (schema: Fields): readonly Fields[] =>
  Array.isArray(schema['type']) ? typesOf(schema).map((type) => ({ ...schema, type })) : [schema];
const valuesOf = ({ enum: values, const: value }: Fields): readonly unknown[] | undefined =>
  value === undefined ? (Array.isArray(values) ? values : undefined) : [value];

function ofValue({ before, now, path }: Pair): string[] {
  const allowed = typesOf(before);
  const fits = (type: unknown): boolean => allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
  const types = typesOf(now);
  const hasType = allowed.length === 0 || (types.length > 0 && types.every(fits));
  const oldValues = valuesOf(before);
  const hasValues = !oldValues || valuesOf(now)?.every((value) => oldValues.includes(value)) === true;
  return [
    ...(hasType ? [] : [`${path} can have another type`]),
    ...(hasValues ? [] : [`${path} can have other values than the listed ones`]),
  ];
}

const upper = [...uppers, 'exclusiveMaximum'];
const lower = [...lowers, 'exclusiveMinimum'];
const same = ['format', 'multipleOf', 'uniqueItems'];

function ofBounds({ before, now, path }: Pair): string[] {
  const holds = (keyword: string): boolean => {
    const [was, is] = [before[keyword], now[keyword]];
    if (was === undefined) return true;
    if (upper.includes(keyword)) return Number(is) <= Number(was);
    if (lower.includes(keyword)) return Number(is) >= Number(was);
    return is === was;
  };
  return [
    ...[...upper, ...lower, ...same].filter((keyword) => !holds(keyword)),
    ...(isWithin(now['pattern'], before['pattern']) ? [] : ['pattern']),
  ].map((keyword) => `${path} does not keep its ${keyword}`);
}

function ofFields({ before, now, path }: Pair): string[] {
  const [was, is] = [fields(before['properties']), fields(now['properties'])];
  const required = list(now['required']);
  const gone = Object.keys(was).filter((name) => !(name in is));
  const optional = list(before['required']).filter((name) => !required.includes(name) && !gone.includes(String(name)));
  const added = before['additionalProperties'] === false ? Object.keys(is).filter((name) => !(name in was)) : [];
  return [
    ...gone.map((name) => `${path}.${name} is gone`),
    ...optional.map((name) => `${path}.${name} is not always there any more`),
    ...added.map((name) => `${path}.${name} is new in an object that was closed`),
  ];
}

/** Lines that say what breaks a receiver when the JSON Schema `released` becomes `current`. */
export function webhookBreaks(released: Fields, current: Fields): string[] {
  const visited = new Set<string>();

  function compare(was: unknown, is: unknown, path: string): string[] {
    const key = JSON.stringify([was, is]);
    if (fields(was)['$ref'] !== undefined && visited.has(key)) return [];
    visited.add(key);
    const pair = { before: fields(resolved(released, was)), now: fields(resolved(current, is)), path };
    return [...ofValue(pair), ...ofBounds(pair), ...ofFields(pair), ...inside(pair), ...alternatives(pair)];
  }

  function inside({ before, now, path }: Pair): string[] {
    const is = fields(now['properties']);
    const shared = Object.entries(fields(before['properties'])).filter(([name]) => name in is);
    const items = before['items'] === undefined ? [] : compare(before['items'], now['items'], `${path}[]`);
    return [...shared.flatMap(([name, was]) => compare(was, is[name], `${path}.${name}`)), ...items];
  }

  /** Each form that is sent now must keep the promises of one that was known. */
  function alternatives({ before, now, path }: Pair): string[] {
    return ['oneOf', 'anyOf'].flatMap((keyword) => {
      if (before[keyword] === undefined) return [];
      const forms = now[keyword] === undefined ? byType(now) : list(now[keyword]);
      const isKnown = (form: unknown): boolean =>
        list(before[keyword]).some((was) => compareAnew(was, form).length === 0);
      return forms.every(isKnown) ? [] : [`${path} can have another form`];
    });
  }

  const compareAnew = (was: unknown, is: unknown): string[] => {
    const marks = [...visited];
    const breaks = compare(was, is, '');
    visited.clear();
    for (const mark of marks) visited.add(mark);
    return breaks;
  };

  return compare(released, current, 'body');
}
