import type { OpenAPI3 } from 'openapi-typescript';
import { type Files, isObject } from './files.js';

/** The root of the payload's schema as the bundler names it, by its file. */
const FILE = 'tracking-webhook.schema';
const ROOT = 'TrackingPayload';

/** Describes the webhook in OpenAPI 3.1 for generators, under the version of the other contracts. */
export function webhooks(document: OpenAPI3, version: string): Files {
  const versioned = { ...document, info: { ...document.info, version } };
  const text = JSON.stringify(shape(versioned), null, 2).replaceAll(`schemas/${FILE}"`, `schemas/${ROOT}"`);
  return new Map([['webhooks.openapi.json', `${text}\n`]]);
}

/** Leaves out what only a schema of its own file has, and gives the root its name. */
function shape(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shape);
  if (!isObject(node)) return node;
  const entries = Object.entries(node).filter(([name]) => !['$schema', '$id', 'definitions'].includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name === FILE ? ROOT : name, shape(value)]));
}
