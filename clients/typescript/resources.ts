import { readFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { type Document, type Operation, operationsOf, resolve, tagText, versionOf, wordsOf } from '../operations.js';
import { camelCase, capitalized, comment } from './text.js';

/** Generates code for an OpenAPI contract: its types by openapi-typescript, and a method for each operation. */

const project = new URL('../../', import.meta.url);

const className = (tag: string): string => `${wordsOf(tag).map(capitalized).join('')}Resource`;

/** The type of an open list: the values that the contract lists now, or any other text, since values may be added. */
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

/** Generates the types of an OpenAPI contract. Each schema also gets a type with its own name. */
export async function contractTypes(document: Document): Promise<string> {
  const options = { silent: true, alphabetize: false, defaultNonNullable: false, transform: openEnum };
  const types = astToString(await openapiTS(JSON.stringify(document), options));
  const schemas = resolve(document, resolve(document, document['components'])['schemas']);
  const names = Object.keys(schemas).map((name) => `export type ${name} = components['schemas']['${name}'];\n`);
  return `${types}\n${names.join('')}`;
}

/** Generates the types of the webhook's body. */
export async function webhookTypes(): Promise<string> {
  const text = await readFile(new URL('generated/tracking-webhook.ts', project), 'utf8');
  return text.slice(0, text.indexOf('\nexport const '));
}

interface ClientClass {
  readonly name: string;
  readonly about: string;
  /** The module with the types of the contract. */
  readonly types: string;
  readonly hasGraphql?: boolean;
}

/** Generates a class for each tag of a contract, and the client that contains them all. */
export function clientSource(document: Document, { name, about, types, hasGraphql = false }: ClientClass): string {
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const named = new Set(operations.flatMap(({ bodySchema, answerSchema }) => [bodySchema, answerSchema]));
  const schemas = [...named].filter((schema) => schema !== undefined);
  const resources = tags.map((tag) => {
    const methods = operations.filter((operation) => operation.tag === tag).map(method);
    const about = comment(tagText(document, tag));
    return `${about}export class ${className(tag)} extends Resource {\n${methods.join('\n')}}\n`;
  });
  const fields = tags.map((tag) => `${camelCase(wordsOf(tag))} = new ${className(tag)}(this.access)`);
  if (hasGraphql) fields.push('graphql = new Graphql(this.access)');
  return `import { Client, type KeyedOptions, type MaloteOptions, path, Resource, type VersionedOptions } from './access.js';
import type { Call, ListCall } from './call.js';
import type { CallOptions } from './transport.js';
import type { operations, ${schemas.join(', ')} } from './${types}.js';
${hasGraphql ? `import { Graphql } from './graphql-client.js';\n` : ''}
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

${resources.join('\n')}
${comment(about)}export class ${name} extends Client {
${fields.map((field) => `  readonly ${field};\n`).join('')}
  constructor(options: MaloteOptions) {
    super(options, '${versionOf(document)}');
  }
}
`;
}

/** Generates a method. Its arguments: path parameters, body, query parameters, options. */
function method(operation: Operation): string {
  const { words, id, summary, description, isList, hasQuery, isQueryRequired, bodies, bodySchema } = operation;
  const parameters = [
    ...operation.pathParameters.map(
      ({ name, isInteger }) => `${camelCase(name.split('_'))}: ${isInteger ? 'number' : 'string'}`,
    ),
    ...(bodies.length > 0 ? [`body: ${bodySchema ?? 'Blob'}`] : []),
    ...(hasQuery ? [`query: Query<'${id}'>${isQueryRequired ? '' : ' = {}'}`] : []),
    `options?: ${optionsType(operation)}`,
  ];
  const answer = answerType(operation);
  const page = `${answer}['data'][number]`;
  const call = isList
    ? `list<${page}, ${answer}>(${request(operation)}, query, options)`
    : `call<${answer}>(${request(operation)}, options)`;
  const type = isList ? `ListCall<${page}, ${answer}>` : `Call<${answer}>`;
  return `${comment(`${summary}.\n\n${description}`)}  ${camelCase(words)}(${parameters.join(', ')}): ${type} {
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
