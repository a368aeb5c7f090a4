import { readFile } from 'node:fs/promises';
import { generate } from '@graphql-codegen/cli';
import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
} from 'graphql';
import { capitalized, comment } from './text.js';

const project = new URL('../../', import.meta.url);
const clients = new URL('../', import.meta.url);

/** Generates code for operations.graphql: types and documents, and a class with a method for each operation. */
export async function graphqlSource(): Promise<{ documents: string; client: string }> {
  const [schema, documents] = await Promise.all([
    readFile(new URL('contracts/schema.graphql', project), 'utf8'),
    readFile(new URL('operations.graphql', clients), 'utf8'),
  ]);
  const config = {
    documentMode: 'string',
    useTypeImports: true,
    enumType: 'string-literal',
    futureProofEnums: true,
    skipTypename: true,
    inlineFragmentTypes: 'combine',
    strictScalars: true,
    scalars: { DateTime: 'string', Date: 'string', Money: 'string' },
  };
  const outputs = { 'operations.ts': { plugins: ['typescript-operations', 'typed-document-node'], config } };
  const made = await generate({ schema, documents, silent: true, generates: outputs }, false);
  const text = made.map(({ content }: { content: string }) => content).join('');
  const operations = parse(documents).definitions.filter((each) => each.kind === 'OperationDefinition');
  const types = buildSchema(schema);
  demandAll(types, operations);
  return {
    // Only a type of that package is used, so take it from `graphql.js` instead of adding a dependency.
    documents: text.replace(/from '@graphql-typed-document-node\/core'/, `from './graphql.js'`),
    client: graphqlClient(types, operations),
  };
}

/** Throws unless every root field has an operation. Log-in is left out, because the client does it itself. */
function demandAll(schema: GraphQLSchema, operations: readonly OperationDefinitionNode[]): void {
  const present = new Set(operations.map(({ name }) => name?.value));
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const missing = roots.filter((name) => name !== 'login' && !present.has(name));
  if (missing.length > 0) throw new Error(`clients/operations.graphql has no operation for ${missing.join(', ')}`);
}

function graphqlClient(schema: GraphQLSchema, operations: readonly OperationDefinitionNode[]): string {
  const methods = operations.map((operation) => method(schema, operation));
  return `import type { KeyedOptions } from './access.js';
import { type Call, ConnectionCall } from './call.js';
import { GraphqlClient } from './graphql.js';
import * as documents from './operations.js';
import type { CallOptions } from './transport.js';

${comment('The operations of the GraphQL interface.')}export class Graphql extends GraphqlClient {
${methods.join('\n')}}
`;
}

function method(
  schema: GraphQLSchema,
  { name, operation: kind, variableDefinitions = [] }: OperationDefinitionNode,
): string {
  const field = String(name?.value);
  const { type, description } = rootField(schema, kind, field);
  const result = `documents.${capitalized(field)}${capitalized(kind)}`;
  const isOptional = variableDefinitions.every(({ type, defaultValue }) => type.kind !== 'NonNullType' || defaultValue);
  const takesKey = description.includes('Idempotency-Key');
  const parameter = `variables: ${result}Variables${isOptional ? ' = {}' : ''}, `;
  const options = `options?: ${takesKey ? 'KeyedOptions' : 'CallOptions'}`;
  const head = `${comment(description)}  ${field}(${variableDefinitions.length > 0 ? parameter : ''}${options})`;
  const sent = (variables: string): string =>
    `this.field('${field}', { document: documents.${capitalized(field)}Document, variables${variables}${takesKey ? ', takesKey: true' : ''} }, options)`;
  if (!type.endsWith('Connection')) {
    const call = sent(variableDefinitions.length > 0 ? '' : ': {}');
    return `${head}: Call<${result}['${field}']> {\n    return ${call};\n  }\n`;
  }
  const page = `${result}['${field}']`;
  const list = `ConnectionCall<${page}['edges'][number]['node'], ${page}>`;
  return `${head}: ${list} {\n    return new ConnectionCall(variables, (variables) => ${sent('')});\n  }\n`;
}

function rootField(
  schema: GraphQLSchema,
  kind: OperationTypeNode,
  name: string,
): { type: string; description: string } {
  const field = schema.getRootType(kind)?.getFields()[name];
  if (!field) throw new Error(`contracts/schema.graphql has no ${kind} ${name}`);
  return { type: getNamedType(field.type).name, description: field.description ?? '' };
}
