import type { Fields } from '../../src/base/values.js';
import { fields, list, lowers, uppers } from './description.js';
import { isWithin } from './patterns.js';

interface Pair {
  readonly before: Fields;
  readonly now: Fields;
  readonly path: string;
}

/**
 * Changes that break receivers of the tracking payload. The service sends it: all that it sends now must have been
 * possible before: every promise of the released schema must hold in the current one. Fields may be added, as receivers
 * accept those that they do not know.
 */
export const brokenSent = (pair: Pair): string[] => [...ofValue(pair), ...ofBounds(pair), ...ofFields(pair)];

const typesOf = ({ type }: Fields): readonly unknown[] => [type ?? []].flat();
/** A form for each type that a value may have. */
export const byType = (schema: Fields): readonly Fields[] =>
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

/** Fields that are gone are told where the comparison goes into them. */
function ofFields({ before, now, path }: Pair): string[] {
  const [was, is] = [fields(before['properties']), fields(now['properties'])];
  const required = list(now['required']);
  const isOptional = (name: unknown) => !required.includes(name) && !(String(name) in was && !(String(name) in is));
  const added = before['additionalProperties'] === false ? Object.keys(is).filter((name) => !(name in was)) : [];
  return [
    ...(before['items'] !== undefined && now['items'] === undefined ? [`${path}[] can have another type`] : []),
    ...list(before['required'])
      .filter(isOptional)
      .map((name) => `${path}.${name} is not always there any more`),
    ...added.map((name) => `${path}.${name} is new in an object that was closed`),
  ];
}
