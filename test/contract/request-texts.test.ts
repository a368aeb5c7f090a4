import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { bundles, fields, type Node, operationsOf, resolve } from './contract-files.js';

/** Checks the texts of requests like an outside validator: with standard formats and the patterns of the contracts. */

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Every schema of a text inside a schema, by the path of its field. */
function* textsIn(
  document: Node,
  schema: unknown,
  path: string,
  outer: readonly Node[] = [],
): Generator<[string, Node]> {
  const node = fields(resolve(document, schema));
  if (schema === undefined || outer.includes(node)) return;
  const inside = [...outer, node];
  if (node['type'] === 'string') yield [path, node];
  for (const [name, property] of Object.entries(fields(node['properties'])))
    yield* textsIn(document, property, `${path}.${name}`, inside);
  yield* textsIn(document, node['items'], `${path}[]`, inside);
  yield* textsIn(document, node['additionalProperties'], `${path}.*`, inside);
  for (const keyword of ['allOf', 'oneOf', 'anyOf'])
    for (const part of list(node[keyword])) yield* textsIn(document, part, path, inside);
}

function* requestTexts(document: Node): Generator<[string, Node]> {
  for (const item of Object.values(fields(document['paths'])))
    for (const operation of operationsOf({ paths: { '': item } })) {
      for (const each of [...list(fields(item)['parameters']), ...list(operation.node['parameters'])]) {
        const { in: place, name, schema } = fields(resolve(document, each));
        yield* textsIn(document, schema, `${operation.id}: ${place} ${name}`);
      }
      const { content } = fields(resolve(document, operation.node['requestBody']));
      for (const { schema } of Object.values(fields(content)).map(fields))
        yield* textsIn(document, schema, `${operation.id}: body`);
    }
}

const ajv = new Ajv({ strict: false, logger: false });
addFormats.default(ajv);
const compiled = new Map<Node, (text: string) => unknown>();

function isRefused(schema: Node, text: string): boolean {
  const { nullable: _, ...rest } = schema;
  const check = compiled.get(schema) ?? ajv.compile(rest);
  compiled.set(schema, check);
  return check(text) === false;
}

const PADDING = 'aaaaaaaaaaaa';

describe.each(Object.entries(bundles))('%s', (_name, document) => {
  const texts = [...requestTexts(document)].filter(([, { format }]) => format !== 'binary');

  test('a text with NUL is refused by the contract itself, without formats of this project', () => {
    expect(texts.length).toBeGreaterThan(50);
    const accepting = texts.filter(([, schema]) =>
      ['\0', `${PADDING}\0`, `\0${PADDING}`, `\n\0\n${PADDING}`].some((text) => !isRefused(schema, text)),
    );
    expect(accepting.map(([path]) => path)).toEqual([]);
  });

  test('other text is allowed in fields for any text', () => {
    const free = texts.filter(([, { format }]) => format === 'text' || format === 'password');
    const any = free.filter(([, { pattern }]) => pattern === '^[^\\x00]*$');
    expect(any.length).toBeGreaterThan(5);
    for (const [path, schema] of any)
      expect([path, isRefused(schema, `\u0001 é\n\u{10ffff}${PADDING}`)]).toEqual([path, false]);
  });

  test('headers have only characters that HTTP allows', () => {
    const headers = texts.filter(([path]) => path.includes(': header '));
    for (const [path, schema] of headers)
      expect([path, ['"\n"', '"\u001b"', '"\u007f"'].every((text) => isRefused(schema, text))]).toEqual([path, true]);
  });
});
