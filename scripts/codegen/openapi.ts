import { relative } from 'node:path';
import { bundle, createConfig, getLineColLocation, type NormalizedProblem } from '@redocly/openapi-core';
import type { OpenAPI3, OperationObject } from 'openapi-typescript';
import { type Files, header, isObject } from './files.js';
import { kept } from './kept.js';

/** Generates code from the OpenAPI contracts. */

type Operation = OperationObject & { operationId: string };
type Served = { method: string; path: string; operation: Operation };

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Follows a reference inside the document; any other value stays as it is. */
export function resolved(document: unknown, schema: unknown): unknown {
  if (!isObject(schema) || typeof schema['$ref'] !== 'string') return schema;
  const steps = schema['$ref'].split('/').slice(1);
  const target = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document);
  return resolved(document, target);
}

/** The document with parts of other files pulled in. References inside it stay. */
export async function bundled(ref: string): Promise<OpenAPI3> {
  const { bundle: document, problems } = await bundle({ ref, config: await createConfig({}) });
  if (problems.length > 0) throw new ContractError(problems.map(told).join('\n'));
  return document.parsed;
}

/** The contract cannot be read. The message has a line for each place. */
export class ContractError extends Error {}

/** "contracts/openapi.yaml:1504: Can't resolve $ref: { $ref: '#/components/schemas/Label' }". */
function told({ message, location: [place] }: NormalizedProblem): string {
  if (!place) return message;
  const { line } = getLineColLocation(place).start;
  const text = place.source.getLines()[line - 1]?.trim();
  return `${relative(process.cwd(), place.source.absoluteRef)}:${line}: ${message}: ${text}`;
}

function servedBy(document: OpenAPI3): Served[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = '$ref' in item ? undefined : item[method];
      if (!operation || '$ref' in operation) return [];
      const { operationId } = operation;
      if (operationId === undefined) throw new Error(`${method} ${path} has no operationId`);
      return [{ method, path, operation: { ...operation, operationId } }];
    }),
  );
}

/** Query parameters that the validator fills in when the request leaves them out. */
function defaulted(document: OpenAPI3, operation: Operation): string[] {
  return (operation.parameters ?? [])
    .map((parameter) => resolved(document, parameter))
    .filter(isObject)
    .filter((parameter) => parameter['in'] === 'query' && 'default' in Object(resolved(document, parameter['schema'])))
    .map((parameter) => String(parameter['name']));
}

// Clients may leave a defaulted parameter out, handlers always get it: `paths` is the client's view, `operations` the
// handler's.
const FILLED = `
type Filled<Op extends { parameters: { query?: object } }, Name extends keyof NonNullable<Op['parameters']['query']>> = Omit<
    Op,
    'parameters'
> & {
    parameters: Omit<Op['parameters'], 'query'> & {
        query: Omit<NonNullable<Op['parameters']['query']>, Name> & Required<Pick<NonNullable<Op['parameters']['query']>, Name>>;
    };
};
`;

/**
 * Makes every `x-extensible-enum` an `enum`: clients must accept values that they do not know, while the compiler holds
 * this version's handlers to those that it documents.
 */
function closeEnums(node: unknown): void {
  if (!isObject(node)) return;
  if (Array.isArray(node['x-extensible-enum'])) node['enum'] = node['x-extensible-enum'];
  for (const child of Object.values(node)) closeEnums(child);
}

/** The document's types, by openapi-typescript. */
async function typesOf(document: OpenAPI3): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(document, { silent: true, defaultNonNullable: false }));
}

async function operationTypes(source: string, document: OpenAPI3, served: readonly Served[]): Promise<string> {
  const ours = structuredClone(document);
  closeEnums(ours);
  const types = (await kept(source.replace(/\.yaml$/, ''), ours, () => typesOf(ours)))
    .replace('export interface operations {', 'export interface requests {')
    .replaceAll('operations["', 'requests["');
  const fills = served.flatMap(({ operation }) => {
    const names = defaulted(document, operation).map((name) => `'${name}'`);
    return names.length > 0 ? [{ id: operation.operationId, names: names.join(' | ') }] : [];
  });
  const members = fills.map(({ id, names }) => `    ${id}: Filled<requests['${id}'], ${names}>;\n`).join('');
  const ids = fills.map(({ id }) => `'${id}'`).join(' | ') || 'never';
  const operations = `
/** The operations as handlers see them: query parameters that have a default are always there. */
export interface operations extends Omit<requests, ${ids}> {
${members}}
`;
  return header(source) + types + (fills.length > 0 ? FILLED : '') + operations;
}

/** True when a successful answer holds a secret that the contract marks. */
function showsSecret(document: OpenAPI3, operation: Operation): boolean {
  const isShown = (node: unknown, within: readonly unknown[]): boolean => {
    const schema = resolved(document, node);
    if (!isObject(schema) || within.includes(schema)) return false;
    if (schema['x-secret'] === true || (schema['format'] === 'password' && schema['writeOnly'] !== true)) return true;
    return Object.values(schema).some((value) => isShown(value, [...within, schema]));
  };
  const successful = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'));
  return successful.some(([, response]) => isShown(response, []));
}

/** Follows `x-audit`; without it every change behind a token is audited. */
function isAudited(method: string, security: string, operation: Operation): boolean {
  return operation['x-audit'] ?? (method !== 'get' && security === 'bearer');
}

function routeOf(document: OpenAPI3, { method, path, operation }: Served) {
  const security = (operation.security ?? document.security ?? []).length > 0 ? 'bearer' : 'none';
  return {
    method,
    path,
    security,
    idempotent: operation['x-idempotent'] === true,
    static: operation['x-static'],
    roles: operation['x-roles'],
    scopes: operation['x-scopes'],
    memberRoles: operation['x-member-roles'],
    scopeFilters: operation['x-scope-filters'],
    secondFactor: operation['x-second-factor'],
    audited: isAudited(method, security, operation) || undefined,
    budget: operation['x-budget'],
    maxBody: operation['x-max-body'],
    secret: showsSecret(document, operation) || undefined,
    deprecatedAt: operation['x-deprecated-at'],
    sunset: operation['x-sunset'],
  };
}

function routeTable(source: string, document: OpenAPI3, served: readonly Served[]): string {
  const rows = served.map((each) => `  ${each.operation.operationId}: ${JSON.stringify(routeOf(document, each))},\n`);
  return `${header(source)}
/** operationId → where it is served and what the contract's security and extensions ask for. */
export const routes = {
${rows.join('')}} as const;

type Routes = typeof routes;

/** Operations that a handler answers: all except those marked \`x-static\`. */
export type OperationId = { [Id in keyof Routes]: Routes[Id] extends { static: true } ? never : Id }[keyof Routes];
`;
}

/** Types, route table and bundled document of one OpenAPI contract. */
export async function openapi(source: string, name: string, document: OpenAPI3): Promise<Files> {
  const served = servedBy(document);
  return new Map([
    [`${name}.ts`, await operationTypes(source, document, served)],
    [`${name}.routes.ts`, routeTable(source, document, served)],
    [`${name}.openapi.json`, `${JSON.stringify(document, null, 2)}\n`],
  ]);
}
