import type { OpenAPI3 } from 'openapi-typescript';
import { type Files, isObject } from './files.js';
import { resolved } from './openapi.js';

/** The root of the payload's schema as the bundler names it, by its file. */
const FILE = 'tracking-webhook.schema';
const ROOT = 'TrackingPayload';

/**
 * Describes the webhook in OpenAPI 3.1 for generators, under the version of the other contracts. Times stand inline, as
 * many generators forget the format behind a reference; what is an object or null is one object of two types, as many
 * make a union without a name of a `oneOf`.
 */
export function webhooks(document: OpenAPI3, version: string): Files {
  const versioned = { ...document, info: { ...document.info, version } };
  const text = JSON.stringify(shape(document, versioned), null, 2).replaceAll(`schemas/${FILE}"`, `schemas/${ROOT}"`);
  return new Map([['webhooks.openapi.json', `${text}\n`]]);
}

function shape(document: object, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => shape(document, each));
  if (!isObject(node)) return node;
  const { oneOf, ...own } = node;
  const target = resolved(document, node);
  if (isObject(target) && target !== node && 'format' in target) return target;
  const [choice, none] = Array.isArray(oneOf) ? oneOf : [];
  const nullable = resolved(document, choice);
  if (isObject(nullable) && isObject(none) && none['type'] === 'null')
    return { ...nullable, ...own, type: [nullable['type'], 'null'] };
  return Object.fromEntries(Object.entries(node).flatMap(([name, value]) => entryOf(document, name, value)));
}

/** Leaves out schemas that stand inline by now, and what only a schema of its own file has. */
function entryOf(document: object, name: string, value: unknown): [string, unknown][] {
  if (['$schema', '$id', 'definitions', 'Timestamp', 'ActionRequired'].includes(name)) return [];
  return [[name === FILE ? ROOT : name, shape(document, value)]];
}
