import { readFile } from 'node:fs/promises';
import { generate } from '@graphql-codegen/cli';
import { buildSchema, type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { type Document, type Operation, operationsOf, resolve, tagText, wordsOf } from '../operations.js';

/** Sources of the package that follow from the contracts: types by kept generators, and a method for each operation. */

const project = new URL('../../../', import.meta.url);
const read = (name: string): Promise<string> => readFile(new URL(name, project), 'utf8');

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const camelCase = ([first = '', ...words]: readonly string[]): string => first + words.map(capitalized).join('');
const className = (tag: string): string => `${wordsOf(tag).map(capitalized).join('')}Resource`;
const comment = (...lines: string[]): string => {
  const text = lines.join('\n').trim().replaceAll('*/', '*\\/').split('\n');
  return `/**\n${text.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
};

/** The values that the contract lists now, and any other one, as it says that values may be added. */
function openEnum(schema: object): ts.TypeNode | undefined {
  const values: unknown = Reflect.get(schema, 'x-extensible-enum');
  if (!Array.isArray(values)) return undefined;
  const { factory } = ts;
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const other = factory.createParenthesizedType(
    factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]),
  );
  const literals = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(String(value))));
  const open = factory.createUnionTypeNode([...literals, other]);
  const isNullable = Reflect.get(schema, 'nullable') === true;
  return isNullable ? factory.createUnionTypeNode([open, factory.createLiteralTypeNode(factory.createNull())]) : open;
}

/** The types of an OpenAPI contract, each schema also under its own name. */
export async function contractTypes(document: Document): Promise<string> {
  const options = { silent: true, alphabetize: false, defaultNonNullable: false, transform: openEnum };
  const types = astToString(await openapiTS(JSON.stringify(document), options));
  const schemas = resolve(document, resolve(document, document['components'])['schemas']);
  const names = Object.keys(schemas).map((name) => `export type ${name} = components['schemas']['${name}'];\n`);
  return `${types}\n${names.join('')}`;
}

/** The types of the webhook's body. */
export async function webhookTypes(): Promise<string> {
  const [types = ''] = (await read('generated/tracking-webhook.ts')).split('\nexport const ');
  return types;
}

/** A class for each tag of a contract, and the client that has them all. */
export function clientSource(document: Document, client: { name: string; types: string; about: string; own?: string }) {
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const types = [
    ...new Set(operations.flatMap(({ bodySchema = [], answerSchema = [] }) => [bodySchema, answerSchema].flat())),
  ];
  const classes = tags.map((tag) => {
    const methods = operations.filter((operation) => operation.tag === tag).map(method);
    return `${comment(tagText(document, tag))}export class ${className(tag)} extends Resource {\n${methods.join('\n')}}\n`;
  });
  const fields = tags.map((tag) => [camelCase(wordsOf(tag)), className(tag)] as const);
  return `import { Access, type KeyedOptions, type MaloteOptions, path, Resource, type RestRequest, type VersionedOptions } from './access.js';
import type { Call, ListCall } from './call.js';
import type { CallOptions } from './transport.js';
import type { operations, ${types.join(', ')} } from './${client.types}.js';
${client.own === undefined ? '' : `import { Graphql } from './${client.own}.js';\n`}
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

${classes.join('\n')}
${comment(client.about)}export class ${client.name} {
${fields.map(([name, type]) => `  readonly ${name}: ${type};\n`).join('')}${client.own === undefined ? '' : '  readonly graphql: Graphql;\n'}  readonly #access: Access;

  constructor(options: MaloteOptions) {
    const access = new Access(options, '${String(resolve(document, document['info'])['version'])}');
    this.#access = access;
${fields.map(([name, type]) => `    this.${name} = new ${type}(access);\n`).join('')}${client.own === undefined ? '' : '    this.graphql = new Graphql(access);\n'}  }

  /** Sends any request of the interface, such as one that is newer than this package. */
  request<T = unknown>(request: RestRequest, options?: KeyedOptions & VersionedOptions): Call<T> {
    return this.#access.call<T>(request, options);
  }
}
`;
}

/** A method: parameters of the path, then the body, then those of the query, then options. */
function method(operation: Operation): string {
  const { words, id, summary, description, isList, hasQuery, bodies, bodySchema } = operation;
  const isOptional = hasQuery ? ` = {}` : '';
  const parameters = [
    ...operation.pathParameters.map(
      ({ name, isInteger }) => `${camelCase(name.split('_'))}: ${isInteger ? 'number' : 'string'}`,
    ),
    ...(bodies.length > 0 ? [`body: ${bodySchema ?? 'Blob'}`] : []),
    ...(hasQuery ? [`query: Query<'${id}'>${isOptional}`] : []),
    `options?: ${optionsType(operation)}`,
  ];
  const answer = answerType(operation);
  const page = `${answer}['data'][number]`;
  const call = isList
    ? `list<${page}, ${answer}>(${request(operation)}, query, options)`
    : `call<${answer}>(${request(operation)}, options)`;
  const type = isList ? `ListCall<${page}, ${answer}>` : `Call<${answer}>`;
  return `${comment(`${summary}.`, '', description)}  ${camelCase(words)}(${parameters.join(', ')}): ${type} {
    return this.access.${call};
  }
`;
}

function optionsType({ takesKey, takesVersion }: Operation): string {
  const types = [...(takesKey ? ['KeyedOptions'] : []), ...(takesVersion ? ['VersionedOptions'] : [])];
  return types.join(' & ') || 'CallOptions';
}

function answerType({ answers, answerSchema }: Operation): string {
  return answerSchema ?? (answers.length > 0 ? 'Uint8Array' : 'void');
}

function request(operation: Operation): string {
  const { isList, hasQuery, bodies, takesKey, isPublic } = operation;
  const isBytes = operation.answers.length > 0 && operation.answerSchema === undefined;
  const parameters = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${camelCase(name.split('_'))}}`);
  const fields = [
    `method: '${operation.method}'`,
    `path: ${operation.pathParameters.length > 0 ? `path\`${parameters}\`` : `'${operation.path}'`}`,
    ...(bodies.length > 0 ? ['body'] : []),
    ...(hasQuery && !isList ? ['query'] : []),
    ...Object.entries({ takesKey, isPublic, isBytes }).flatMap(([name, holds]) => (holds ? [`${name}: true`] : [])),
  ];
  return `{ ${fields.join(', ')} }`;
}

/** The operations of operations.graphql: their types and documents, and a class with a method for each. */
export async function graphqlSource(): Promise<{ documents: string; client: string }> {
  const [schema, documents] = await Promise.all([
    read('contracts/schema.graphql'),
    read('scripts/clients/operations.graphql'),
  ]);
  const config = {
    documentMode: 'string',
    useTypeImports: true,
    enumType: 'string-literal',
    futureProofEnums: true,
    skipTypename: true,
    inlineFragmentTypes: 'combine',
  };
  const outputs = { 'operations.ts': { plugins: ['typescript-operations', 'typed-document-node'], config } };
  const made = await generate({ schema, documents, silent: true, generates: outputs }, false);
  const text = made.map(({ content }: { content: string }) => content).join('');
  const operations = parse(documents).definitions.filter((each) => each.kind === 'OperationDefinition');
  return {
    // The type of the mark alone, which is not worth a dependency.
    documents: text.replace(/from '@graphql-typed-document-node\/core'/, `from './graphql.js'`),
    client: graphqlClient(buildSchema(schema), operations),
  };
}

function graphqlClient(schema: GraphQLSchema, operations: readonly OperationDefinitionNode[]): string {
  const methods = operations.map((operation) => {
    const name = String(operation.name?.value);
    const kind = operation.operation;
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    const description = root?.getFields()[name]?.description ?? '';
    const isVoid = (operation.variableDefinitions ?? []).length === 0;
    const isOptional = (operation.variableDefinitions ?? []).every(
      ({ type, defaultValue }) => type.kind !== 'NonNullType' || defaultValue,
    );
    const type = capitalized(name) + capitalized(kind);
    const takesKey = description.includes('Idempotency-Key');
    const variables = isVoid ? '' : `variables: documents.${type}Variables${isOptional ? ' = {}' : ''}, `;
    return `${comment(description)}  ${name}(${variables}options?: ${takesKey ? 'KeyedOptions' : 'CallOptions'}): Call<documents.${type}['${name}']> {
    return this.field('${name}', { document: documents.${capitalized(name)}Document, variables${isVoid ? ': {}' : ''}${takesKey ? ', takesKey: true' : ''} }, options);
  }
`;
  });
  return `import type { KeyedOptions } from './access.js';
import type { Call } from './call.js';
import { GraphqlClient } from './graphql.js';
import * as documents from './operations.js';
import type { CallOptions } from './transport.js';

${comment('The operations of the GraphQL interface.')}export class Graphql extends GraphqlClient {
${methods.join('\n')}}
`;
}
