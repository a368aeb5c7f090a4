import { computedOnce, isFields } from '../base/values.js';
import type { OpenAPIV3 } from './validator-parts.js';

export type Document = OpenAPIV3.DocumentV3;
function isDocument(value: unknown): value is Document {
  return (
    isFields(value) && isFields(value['info']) && isFields(value['paths']) && /^3\.0\./.test(String(value['openapi']))
  );
}

/** Follows a local reference. Returns any other value unchanged. */
export function resolve(document: object, value: unknown): unknown {
  if (!isFields(value) || typeof value['$ref'] !== 'string') return value;
  const steps = value['$ref'].replace(/^#\//, '').split('/');
  const target = steps.reduce<unknown>(
    (at, step) => (isFields(at) ? at[step.replaceAll('~1', '/')] : undefined),
    document,
  );
  return resolve(document, target);
}

const isFreeString = ({ type, format, enum: values }: Record<string, unknown>): boolean =>
  type === 'string' && format === undefined && values === undefined;

function strengthen(node: unknown, name = ''): unknown {
  if (Array.isArray(node)) return node.map((each) => strengthen(each));
  if (!isFields(node)) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    // Leaves out examples: the validator would read the `id` of an example as the name of a schema.
    if (name === 'properties' || !/^examples?$/.test(key)) copy[key] = strengthen(value, key);
  }
  if (isFreeString(copy)) copy['format'] = 'text';
  return copy;
}

export type PatternTexts = ReadonlyMap<string, string>;

/** The document's texts for its patterns (`x-pattern-says`), by pattern. */
export const patternTexts = computedOnce((document: object): PatternTexts => new Map(textsIn(document)));

function textsIn(node: unknown): [pattern: string, text: string][] {
  if (typeof node !== 'object' || node === null) return [];
  const own: [string, string][] =
    isFields(node) && 'x-pattern-says' in node ? [[String(node['pattern']), String(node['x-pattern-says'])]] : [];
  return [...own, ...Object.values(node).flatMap(textsIn)];
}

/**
 * Copies a bundled OpenAPI 3.0 description for the validator: without examples, and with the format `text` for free
 * strings.
 */
export const readDocument = computedOnce((spec: object): Document => {
  const document = strengthen(spec);
  if (!isDocument(document)) throw new Error('The contract is not an OpenAPI 3.0 description.');
  return document;
});
