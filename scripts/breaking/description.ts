import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../../src/base/values.js';
import { bundled, resolved } from '../codegen/openapi.js';
import { isWithin } from './patterns.js';

/**
 * A description as it is compared: in one piece, and with every `allOf` written as the one schema that it stands for.
 */

export const fields = (value: unknown): Fields => (isFields(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Value at the end of the steps of a pointer; references on the way are followed. */
export const at = (document: Fields, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((node, step) => {
    const inside = resolved(document, node);
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return Array.isArray(inside) ? inside[Number(name)] : fields(inside)[name];
  }, document);

/** The description that stands in a file. */
export async function descriptionIn(path: string): Promise<Fields> {
  const document = fields(await bundled(path));
  return fields(flat(document, document));
}

/** The node without any `allOf` that one schema can stand for. */
function flat(document: Fields, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => flat(document, each));
  if (!isFields(node)) return node;
  const inside = Object.fromEntries(Object.entries(node).map(([name, each]) => [name, flat(document, each)]));
  const { allOf, ...own } = inside;
  // A property may have this name.
  if (!Array.isArray(allOf)) return inside;
  const members = allOf.map((member) => fields(flat(document, resolved(document, member))));
  return members.reduce<Fields | undefined>((one, other) => one && both(document, one, other), own) ?? inside;
}

/** True when a schema refuses the properties of another. */
const isClosedTo = (one: Fields, other: Fields): boolean =>
  one['additionalProperties'] === false && 'properties' in other;

/** Merges two schemas into one with the demands of both; undefined where no schema can. */
function both(document: Fields, one: Fields, other: Fields): Fields | undefined {
  if (isClosedTo(one, other) || isClosedTo(other, one)) return undefined;
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const own = one[keyword];
    if (own === undefined || isDeepStrictEqual(own, value)) continue;
    const joined = join(document, keyword, own, value);
    if (joined === undefined) return undefined;
    merged[keyword] = joined;
  }
  return merged;
}

const ANNOTATIONS = new Set(['title', 'description', 'example', 'examples', 'default', 'deprecated', 'nullable']);
export const uppers = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
export const lowers = ['minimum', 'minLength', 'minItems', 'minProperties'];

/** One value of a keyword for two schemas that differ by it; undefined where one value cannot say both. */
function join(document: Fields, keyword: string, one: unknown, other: unknown): unknown {
  if (ANNOTATIONS.has(keyword)) return one;
  if (uppers.includes(keyword)) return Math.min(Number(one), Number(other));
  if (lowers.includes(keyword)) return Math.max(Number(one), Number(other));
  switch (keyword) {
    case 'required':
      return [...new Set([...list(one), ...list(other)])];
    case 'enum':
    case 'x-extensible-enum':
      return list(one).filter((value) => list(other).includes(value));
    case 'pattern':
      return [one, other].find((value) => [one, other].every((each) => isWithin(value, each)));
    case 'items':
      return flat(document, { allOf: [one, other] });
    case 'properties': {
      const names = Object.keys(fields(other)).filter((name) => name in fields(one));
      const shared = names.map((name) => [name, flat(document, { allOf: [fields(one)[name], fields(other)[name]] })]);
      return { ...fields(other), ...fields(one), ...Object.fromEntries(shared) };
    }
    default:
      return keyword.startsWith('x-') ? one : undefined;
  }
}
