import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type Place, placesOf, resolve } from './costly-bodies.js';

/** An operation of A, B or D with a valid request. */
export interface Target {
  name: string;
  method: string;
  path: string;
  /** Undefined if the operation has no body. */
  right: unknown;
  places: readonly Place[];
  /** The size of the largest body that the contract allows, in bytes. */
  maxBody: number;
}

type Fields = Readonly<Record<string, unknown>>;

const MEBIBYTE = 1_048_576;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const methods = ['get', 'post', 'put', 'delete'];

/** The value of the first example of a request body. */
function exampleOf(document: Fields, content: Fields): unknown {
  const [example] = Object.values(fields(content['examples']));
  const { value } = resolve(document, example);
  if (value === undefined && content['schema'] !== undefined) throw new Error('a request body has no example');
  return value;
}

/** Every operation of an OpenAPI contract. `idOf` gives the value of a path parameter. */
export function restTargets(file: string, idOf: (name: string) => string): Target[] {
  const document: Fields = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(fields(document['paths'])).flatMap(([template, item]) =>
    methods.flatMap((method): Target[] => {
      const operation = fields(item)[method];
      if (!isFields(operation) || operation['x-static'] === true) return [];
      const content = fields(fields(fields(operation['requestBody'])['content'])['application/json']);
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name));
      return [
        {
          name: String(operation['operationId']),
          method: method.toUpperCase(),
          path,
          right: exampleOf(document, content),
          places: content['schema'] === undefined ? [] : placesOf(document, content['schema']),
          maxBody: Number(operation['x-max-body'] ?? MEBIBYTE),
        },
      ];
    }),
  );
}

function placesOfType(type: GraphQLInputType, place: Place, within: readonly string[] = []): Place[] {
  const bare = getNullableType(type);
  if (isListType(bare)) return [place, ...placesOfType(bare.ofType, [...place, 0], within)];
  const named = getNamedType(bare);
  if (!isInputObjectType(named) || within.includes(named.name)) return [place];
  const inner = Object.values(named.getFields()).flatMap((field) =>
    placesOfType(field.type, [...place, field.name], [...within, named.name]),
  );
  return [place, ...inner];
}

/** Every root field of the GraphQL contract that has arguments. `rightOf` gives valid variables for a field. */
export function graphqlTargets(file: string, rightOf: (field: string) => Fields): Target[] {
  const schema = buildSchema(readFileSync(file, 'utf8'));
  return [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map(({ name, args, type }): Target => {
      const kind = root === schema.getQueryType() ? 'query' : 'mutation';
      const declared = args.map((each) => `$${each.name}: ${each.type}`).join(', ');
      const passed = args.map((each) => `${each.name}: $${each.name}`).join(', ');
      const selection = 'getFields' in getNamedType(type) ? ' { __typename }' : '';
      const query = args.length > 0 ? `${kind}(${declared}) { ${name}(${passed})${selection} }` : `{ __typename }`;
      const variables = args.flatMap((each) => placesOfType(each.type, ['variables', each.name]));
      return {
        name: `GraphQL ${name}`,
        method: 'POST',
        path: '/graphql',
        right: { query, variables: rightOf(name) },
        places: [[], ['query'], ['operationName'], ['extensions'], ['variables'], ...variables],
        maxBody: MEBIBYTE,
      };
    }),
  );
}
