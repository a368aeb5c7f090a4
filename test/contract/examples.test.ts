import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import {
  bundles,
  fields,
  fileNames,
  fileText,
  isNode,
  type Node,
  operationsOf,
  placesIn,
  resolve,
  sdl,
  trackingSchema,
} from './contract-files.js';
import { schemaCheck } from './schema-check.js';

/** Values that a media type, a parameter or a header gives as its examples. */
function examplesOf(document: Node, node: Node): unknown[] {
  const named = Object.values(fields(node['examples'])).map((example) => fields(resolve(document, example))['value']);
  return 'example' in node ? [node['example'], ...named] : named;
}

const hasExample = (node: Node): boolean => 'example' in node || 'examples' in node;

/** Bodies that an operation takes or successfully answers, by where they stand. */
function bodiesOf(document: Node, operation: Node): [string, Node][] {
  const answers = Object.entries(fields(operation['responses'])).filter(([status]) => status.startsWith('2'));
  return [['request', operation['requestBody']], ...answers].flatMap(([name, body]) =>
    Object.values(fields(fields(resolve(document, body))['content'])).map((media): [string, Node] => [
      String(name),
      fields(media),
    ]),
  );
}

/** Where an example belongs to a schema: beside it, or inside it. */
function examplesIn(document: Node): { pointer: string; value: unknown }[] {
  return [...placesIn(document)].flatMap(({ pointer, node }) => {
    const at = isNode(node['schema']) ? `${pointer}/schema` : pointer;
    return examplesOf(document, node).map((value) => ({ pointer: at, value }));
  });
}

describe.each(Object.entries(bundles))('%s', (_name, document) => {
  const check = schemaCheck(document);

  test.each(operationsOf(document).map(({ id, node }) => [id, node] as const))(
    '%s has an example for each body',
    (_id, node) => {
      const bare = bodiesOf(document, node).filter(([, media]) => examplesOf(document, media).length === 0);
      expect(bare.map(([name]) => name)).toEqual([]);
    },
  );

  // An explorer fills examples in: a list would answer nothing, and a key the order of the one who tried before.
  test('no parameter that may be left out has an example', () => {
    const filled = operationsOf(document).flatMap(({ id, node }) =>
      [node['parameters'] ?? []]
        .flat()
        .map((each) => fields(resolve(document, each)))
        .filter(({ required }) => required !== true)
        .filter((each) => [each, fields(resolve(document, each['schema']))].some(hasExample))
        .map(({ name }) => `${id}: ${name}`),
    );
    expect(filled).toEqual([]);
  });

  test('every example fits its schema', () => {
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(operationsOf(document).length);
    expect(examples.flatMap(({ pointer, value }) => check(pointer, value))).toEqual([]);
  });
});

test('the examples of the tracking payload fit its schema', () => {
  const check = schemaCheck(trackingSchema);
  const examples = trackingSchema['examples'];
  expect(Array.isArray(examples) && examples.length > 0).toBe(true);
  expect([examples].flat().flatMap((value) => check('#', value))).toEqual([]);
});

describe('contracts/examples', () => {
  const names = fileNames('contracts/examples');
  const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

  /** A file is named after the operation whose body it is. */
  function checkFile(name: string, value: unknown): string[] {
    if (name === 'tracking-payload.json') return schemaCheck(trackingSchema)('#', value);
    const id = camelCase(name.replace(/\.json$/, ''));
    for (const document of Object.values(bundles)) {
      const operation = operationsOf(document).find((each) => each.id === id);
      if (!operation) continue;
      return schemaCheck(document)(`${operation.pointer}/requestBody/content/application~1json/schema`, value);
    }
    return [`no operation ${id} for ${name}`];
  }

  test.each(names.filter((name) => name.endsWith('.json')))('%s fits its schema', (name) => {
    expect(checkFile(name, JSON.parse(fileText(`contracts/examples/${name}`)))).toEqual([]);
  });

  test.each(names.filter((name) => name.endsWith('.graphql')))('%s is a valid document', (name) => {
    expect(validate(buildSchema(sdl), parse(fileText(`contracts/examples/${name}`)))).toEqual([]);
  });
});
