import { describe, expect, test } from '@jest/globals';
import { fields, isNode, type Node, placesIn, sources } from './contract-files.js';

// Titles and descriptions do not make a schema another one.
const annotations = ['title', 'description', 'example', 'examples'];

/** The same text for two descriptions that admit the same values. */
function fingerprint(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(fingerprint).join()}]`;
  if (!isNode(value)) return JSON.stringify(value);
  const compared = Object.keys(value)
    .filter((key) => !annotations.includes(key))
    .sort();
  return `{${compared.map((key) => `${key}:${fingerprint(key === '$ref' ? String(value[key]).replace(/^.*#/, '') : value[key])}`).join()}}`;
}

const components = (document: Node, kind: string): Node => fields(fields(document['components'])[kind]);
const rest = sources['openapi.yaml'];
const operator = sources['operator.openapi.yaml'];
const kinds = ['schemas', 'parameters', 'headers', 'responses', 'examples'];

describe('operator.openapi.yaml repeats nothing of openapi.yaml', () => {
  test.each(kinds)('no name among its %s', (kind) => {
    const taken = Object.keys(components(rest, kind));
    expect(Object.keys(components(operator, kind)).filter((name) => taken.includes(name))).toEqual([]);
  });

  test('no record, wherever it stands', () => {
    const known = new Map(
      Object.entries(components(rest, 'schemas')).map(([name, schema]) => [fingerprint(schema), name]),
    );
    // A scalar may have the bounds of another by chance; a record may not have its fields.
    const records = [...placesIn(operator)].filter(({ node }) => isNode(node['properties']));
    const repeated = records.flatMap(({ pointer, node }) => {
      const name = known.get(fingerprint(node));
      return name === undefined ? [] : [`${pointer} is ${name}`];
    });
    expect(repeated).toEqual([]);
  });
});
