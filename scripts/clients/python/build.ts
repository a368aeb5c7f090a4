import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { type Document, readContract, resolve, wordsOf } from '../operations.js';
import { graphqlModule, graphqlTypes } from './graphql.js';
import { resourcesModule } from './resources.js';
import { type Schemas, schemaTypes } from './schemas.js';
import { docstring, header, pascalCase, typesModule } from './source.js';

const project = new URL('../../../', import.meta.url);
const byHand = fileURLToPath(new URL('package', import.meta.url));

/** Writes the package `malote` of Python into the folder: what is by hand, and what follows from the contracts. */
export async function python(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(byHand, folder, { recursive: true, filter: (path) => !path.includes('__pycache__') });
  await cp(new URL('LICENSE', project), join(folder, 'LICENSE'));
  for (const [name, text] of await modules()) await writeFile(join(folder, 'malote', name), text);
}

async function modules(): Promise<Map<string, string>> {
  const rest = await readContract('rest');
  const webhook = JSON.parse(await readFile(new URL('contracts/tracking-webhook.schema.json', project), 'utf8'));
  const graphql = buildSchema(await readFile(new URL('contracts/schema.graphql', project), 'utf8'));
  const { definitions, ...payload } = webhook;
  const restModule = {
    contract: 'openapi.yaml',
    about: 'What an account can do, by REST.',
    types: 'types',
    root: 'Resources',
  };
  return new Map([
    ['_version.py', `${header('openapi.yaml', 'The version of the contracts.')}VERSION = "${versionOf(rest)}"\n`],
    ['types.py', typesModule('openapi.yaml', 'Types of REST.', schemaTypes(schemasOf(rest)))],
    ['errors.py', errorsModule(rest)],
    ['resources.py', resourcesModule(rest, restModule)],
    [
      'tracking.py',
      typesModule(
        'tracking-webhook.schema.json',
        'Types of tracking updates.',
        schemaTypes({
          ...definitions,
          TrackingPayload: payload,
        }),
      ),
    ],
    ['graphql_types.py', typesModule('schema.graphql', 'Types of GraphQL.', graphqlTypes(graphql))],
    ['graphql.py', graphqlModule('schema.graphql', graphql)],
  ]);
}

const versionOf = (document: Document): string => String(resolve(document, document['info'])['version']);

const schemasOf = (document: Document): Schemas =>
  Object(resolve(document, resolve(document, document['components'])['schemas']));

/** An error for each code, of a class that says it. */
function errorsModule(document: Document): string {
  const codes: unknown = schemasOf(document)['ErrorCode']?.['x-extensible-enum'];
  if (!Array.isArray(codes)) throw new Error('the contract lists no ErrorCode');
  const named = codes.map((code) => ({ code: String(code), name: errorName(String(code)) }));
  const classes = named.map(({ code, name }) => `\n\nclass ${name}(MaloteError):\n    ${docstring(`\`${code}\``)}`);
  const entries = named.map(({ code, name }) => `    "${code}": ${name},\n`);
  const exported = ['MaloteError', 'NoAnswerError', 'NotModifiedError', ...named.map(({ name }) => name)].sort();
  return [
    header('openapi.yaml', 'An error for each code that the contract lists.'),
    'from ._errors import MaloteError, NoAnswerError, NotModifiedError\n\n',
    `__all__ = [\n${exported.map((name) => `    "${name}",\n`).join('')}]\n`,
    ...classes,
    `\n\nBY_CODE: dict[str, type[MaloteError]] = {\n${entries.join('')}}\n`,
  ].join('');
}

const errorName = (code: string): string =>
  `${pascalCase(wordsOf(code.replaceAll('_', ' ')))}`.replace(/(?:Error)?$/, 'Error');
