import { buildSchema, parse, print, visit } from 'graphql';
import { brokenDirections, webhookBreaks } from '../../../scripts/breaking/directions.js';
import { graphqlBreaks } from '../../../scripts/breaking/graphql.js';
import { isNode, type Node } from '../../contract/contract-files.js';

/** Changes of the contracts that break clients: of each name and each listed value, that it is called otherwise. */
export interface Mutation {
  readonly what: string;
  /** True of what requests must carry and answers always have. */
  readonly isRequired: boolean;
  /** The lines of the check. */
  breaks(): readonly string[];
}

const OTHER = 'Otherwise';

/** The names and values of one object of a description, and how to call each otherwise. */
function namesIn(node: Node, at: string): { name: string; isRequired: boolean; rename(node: Node): void }[] {
  const { properties, required, 'x-extensible-enum': open, enum: closed, operationId, in: place } = node;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const isSchema = !at.endsWith('/properties');
  return [
    ...(isNode(properties) && isSchema ? Object.keys(properties) : []).map((name) => ({
      name,
      isRequired: list(required).includes(name),
      rename: ({ properties: own, required: names }: Node) => {
        if (!isNode(own)) return;
        Reflect.set(own, `${name}${OTHER}`, own[name]);
        Reflect.deleteProperty(own, name);
        if (Array.isArray(names))
          names.splice(0, names.length, ...names.map((each) => (each === name ? name + OTHER : each)));
      },
    })),
    ...[...list(open), ...(open ? [] : list(closed))].map((value) => ({
      name: String(value),
      isRequired: false,
      rename: (schema: Node) => {
        const values = list(schema['x-extensible-enum'] ?? schema['enum']);
        values[values.indexOf(value)] = `${value}${OTHER}`;
      },
    })),
    ...(typeof operationId === 'string' || (typeof place === 'string' && place !== 'path' && 'schema' in node)
      ? [
          {
            name: String(operationId ?? node['name']),
            isRequired: operationId !== undefined || required === true,
            rename: (named: Node) => {
              const key = operationId === undefined ? 'name' : 'operationId';
              Reflect.set(named, key, `${named[key]}${OTHER}`);
            },
          },
        ]
      : []),
  ];
}

/** Every object of a document by the steps that lead there; what is an example or ours alone is left out. */
function* objectsIn(node: unknown, steps: readonly string[] = []): Generator<[Node, readonly string[]]> {
  if (typeof node !== 'object' || node === null) return;
  if (isNode(node)) yield [node, steps];
  const isProperties = steps.at(-1) === 'properties';
  for (const [name, inner] of Object.entries(node))
    if (isProperties || !/^(?:x-.*|examples?|default|links)$/.test(name)) yield* objectsIn(inner, [...steps, name]);
}

const at = (node: unknown, steps: readonly string[]): unknown =>
  steps.reduce(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    node,
  );

function mutationsOf(document: Node, breaksOf: (mutated: Node) => readonly string[]): Mutation[] {
  return [...objectsIn(document)].flatMap(([node, steps]) =>
    namesIn(node, `/${steps.join('/')}`).map(({ name, isRequired, rename }) => ({
      what: `${name} of ${steps.join('/')}`,
      isRequired,
      breaks: () => {
        const mutated = structuredClone(document);
        const target = at(mutated, steps);
        if (isNode(target)) rename(target);
        return breaksOf(mutated);
      },
    })),
  );
}

export const openapiMutations = (document: Node): Mutation[] =>
  mutationsOf(document, (mutated) => brokenDirections(document, mutated));

export const webhookMutations = (schema: Node): Mutation[] =>
  mutationsOf(schema, (mutated) => webhookBreaks(schema, mutated));

/** Fields, arguments and values of the schema of B. */
export function graphqlMutations(sdl: string): Mutation[] {
  const document = parse(sdl);
  const mutations: Mutation[] = [];
  const own: readonly string[] = ['ObjectTypeDefinition', 'InputObjectTypeDefinition', 'EnumTypeDefinition'];
  let count = 0;
  const named = { FieldDefinition: note, InputValueDefinition: note, EnumValueDefinition: note };
  const inOwn = document.definitions.filter(({ kind }) => own.includes(kind));
  visit({ ...document, definitions: inOwn }, named);
  return mutations;

  function note(node: { name: { value: string }; type?: { kind: string }; defaultValue?: unknown }): void {
    const { value: name } = node.name;
    const place = count++;
    const isRequired = node.type?.kind === 'NonNullType' && node.defaultValue === undefined;
    mutations.push({ what: `${name} of the schema`, isRequired, breaks: () => graphqlBreaks(sdl, renamed(place)) });
  }

  function renamed(place: number): string {
    let seen = 0;
    const rename = (node: { name: { value: string } }) =>
      seen++ === place ? { ...node, name: { ...node.name, value: `${node.name.value}${OTHER}` } } : undefined;
    const changed = { FieldDefinition: rename, InputValueDefinition: rename, EnumValueDefinition: rename };
    const definitions = document.definitions.map((each) => (own.includes(each.kind) ? visit(each, changed) : each));
    const text = print({ ...document, definitions });
    buildSchema(text);
    return text;
  }
}
