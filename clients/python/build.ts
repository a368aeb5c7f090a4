import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { type Document, readContract, resolve, versionOf, wordsOf } from '../operations.js';
import { graphqlModule, graphqlTypes } from './graphql.js';
import { resourcesModule } from './resources.js';
import { type Schemas, schemaTypes } from './schemas.js';
import { docstring, header, pascalCase, typesModule } from './source.js';

const project = new URL('../../', import.meta.url);
const byHand = fileURLToPath(new URL('package', import.meta.url));

/**
 * Writes the Python package `malote` into the folder: hand-written modules, and modules generated from the contracts.
 */
export async function python(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(byHand, folder, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  await cp(new URL('LICENSE', project), join(folder, 'LICENSE'));
  const modules = {
    ...restModules(await readContract('rest')),
    ...operatorModules(await readContract('operator')),
    ...graphqlModules(await contract('schema.graphql')),
    ...webhookModules(JSON.parse(await contract('tracking-webhook.schema.json'))),
  };
  const [readme, version] = [join(folder, 'README.md'), versionOf(await readContract('rest'))];
  await writeFile(readme, (await readFile(readme, 'utf8')).replaceAll('VERSION', version));
  for (const [name, text] of Object.entries(modules)) await writeFile(join(folder, 'malote', `${name}.py`), text);
}

const contract = (name: string): Promise<string> => readFile(new URL(`contracts/${name}`, project), 'utf8');

type Modules = Readonly<Record<string, string>>;

function restModules(rest: Document): Modules {
  const module = { contract: 'openapi.yaml', about: 'What an account can do.', types: 'types', root: 'Resources' };
  return {
    types: typesModule('openapi.yaml', 'Types of REST.', schemaTypes(schemasOf(rest))),
    errors: errorsModule(rest),
    resources: resourcesModule(rest, module),
    _version: `${header('openapi.yaml', 'The version of the contracts.')}VERSION = "${versionOf(rest)}"\n`,
  };
}

function operatorModules(operator: Document): Modules {
  const source = 'operator.openapi.yaml';
  const about = 'What an operator can do.';
  const module = { contract: source, about, types: 'operator_types', root: 'OperatorResources' };
  return {
    operator_types: typesModule(source, "Types of the operator's interface.", schemaTypes(schemasOf(operator))),
    operator_resources: resourcesModule(operator, module),
  };
}

function graphqlModules(sdl: string): Modules {
  const schema = buildSchema(sdl);
  return {
    graphql_types: typesModule('schema.graphql', 'Types of GraphQL.', graphqlTypes(schema)),
    graphql: graphqlModule('schema.graphql', schema),
  };
}

function webhookModules({ definitions, ...payload }: { definitions: Schemas }): Modules {
  const types = schemaTypes({ ...definitions, TrackingPayload: payload });
  return { tracking: typesModule('tracking-webhook.schema.json', 'Types of tracking updates.', types) };
}

const schemasOf = (document: Document): Schemas =>
  Object(resolve(document, resolve(document, document['components'])['schemas']));

/** Generates an error class for each error code. */
function errorsModule(document: Document): string {
  const codes: unknown = schemasOf(document)['ErrorCode']?.['x-extensible-enum'];
  if (!Array.isArray(codes)) throw new Error('the contract lists no ErrorCode');
  const named = codes.map((code) => ({ code: String(code), name: errorName(String(code)) }));
  const exported = ['MaloteError', 'NoAnswerError', 'NotModifiedError', ...named.map(({ name }) => name)].sort();
  return [
    header('openapi.yaml', 'An error for each code that the contract lists.'),
    'from ._errors import MaloteError, NoAnswerError, NotModifiedError\n\n',
    `__all__ = [\n${exported.map((name) => `    "${name}",\n`).join('')}]\n`,
    ...named.map(({ code, name }) => `\n\nclass ${name}(MaloteError):\n    ${docstring(`\`${code}\``)}`),
    '\n\nBY_CODE: dict[str, type[MaloteError]] = {\n',
    ...named.map(({ code, name }) => `    "${code}": ${name},\n`),
    '}\n',
  ].join('');
}

/** The name of an error class: `NOT_FOUND` becomes `NotFoundError`. */
const errorName = (code: string): string =>
  pascalCase(wordsOf(code.replaceAll('_', '-'))).replace(/(?:Error)?$/, 'Error');
