import { isFields } from '../base/values.js';
import { type Document, resolve } from './document.js';

/** The schema at a path of object keys and array positions inside a body; undefined where the schema does not say. */
function schemaAt(document: Document, schema: unknown, path: readonly string[]): unknown {
  const here = resolve(document, schema);
  const [step, ...rest] = path;
  if (step === undefined || !isFields(here)) return here;
  if (/^\d+$/.test(step) && here['items'] !== undefined) return schemaAt(document, here['items'], rest);
  if (isFields(here['properties']) && Object.hasOwn(here['properties'], step))
    return schemaAt(document, here['properties'][step], rest);
  const parts = Array.isArray(here['allOf']) ? here['allOf'] : [];
  return parts.map((part) => schemaAt(document, part, path)).find((found) => found !== undefined);
}

const required = (branch: unknown): unknown[] =>
  isFields(branch) && Array.isArray(branch['required']) ? branch['required'] : [];

/**
 * Fields between which the object at `path` has to choose (`oneOf` or `anyOf` over `required` lists); empty when there
 * is no choice.
 */
export function alternativesAt(document: Document, schema: unknown, path: readonly string[]): string[] {
  const here = schemaAt(document, schema, path);
  if (!isFields(here)) return [];
  const branches = [here['oneOf'], here['anyOf']].flatMap((each) => (Array.isArray(each) ? each : []));
  const always = new Set(required(here));
  return [...new Set(branches.flatMap(required))].map(String).filter((name) => !always.has(name));
}
