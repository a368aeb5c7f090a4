import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FieldDefinitionNode, type InputValueDefinitionNode, parse, visit } from 'graphql';
import { samplesOf } from './clients/samples/build.js';
import { errorWords, withTables, wordsOf } from './scripts/codegen/errors.js';
import { contracts, type Files, generated, header, isObject, literal, read } from './scripts/codegen/files.js';
import { kept } from './scripts/codegen/kept.js';
import { bundled, ContractError, openapi, resolved } from './scripts/codegen/openapi.js';
import { webhooks } from './scripts/codegen/webhooks.js';

/**
 * Turns `contracts/` into `generated/`, by the parts of contracts that have changed. With `--check` it makes everything
 * anew, only names the files there that are stale, and fails if any is. A generator is loaded when it has work to do:
 * that takes more time than the work.
 */

const graphqlConfig = {
  contextType: 'unknown',
  enumsAsTypes: true,
  strictScalars: true,
  scalars: { DateTime: { input: 'Date', output: 'string' }, Date: 'string', Money: 'string' },
  useTypeImports: true,
  skipTypename: true,
  makeResolverTypeCallable: true,
  avoidOptionals: { field: true },
};

// The generated resolvers are all optional; the fields of the two root types have no value to fall back on.
const ROOT_RESOLVERS = `
/** One resolver for each field of the root types. */
export type RootResolvers<ContextType = unknown> = {
  Query: Required<QueryResolvers<ContextType>>;
  Mutation: Required<MutationResolvers<ContextType>>;
};
`;

/** Types of the GraphQL contract and its resolvers, and its text for run time. */
async function graphql(source: string): Promise<Files> {
  const sdl = await read(source);
  const plugins = ['typescript', 'typescript-resolvers'];
  const outputs = { 'graphql.ts': { plugins, config: graphqlConfig } };
  const types = await kept('graphql', sdl, async () => {
    const { generate } = await import('@graphql-codegen/cli');
    const made = await generate({ schema: sdl, silent: true, generates: outputs }, false);
    return made.map(({ content }: { content: string }) => content).join('');
  });
  return new Map([
    ['graphql.ts', `${header(source)}${types}${ROOT_RESOLVERS}`],
    ['schema.ts', `${header(source)}\nexport const sdl = ${literal(sdl)};\n`],
  ]);
}

/** Types of the tracking payload, and its schema for run time. */
async function webhook(source: string): Promise<Files> {
  const schema = JSON.parse(await read(source));
  const options = { bannerComment: '', additionalProperties: false, ignoreMinAndMaxItems: true, unknownAny: true };
  const types = await kept('webhook', schema, async () => {
    const { compile } = await import('json-schema-to-typescript');
    return compile(structuredClone(schema), 'TrackingPayload', options);
  });
  const value = `export const trackingSchema = ${JSON.stringify(schema, null, 2)};\n`;
  return new Map([['tracking-webhook.ts', `${header(source)}\n${types}\n${value}`]]);
}

const isSecret = (schema: unknown) =>
  isObject(schema) &&
  (schema['format'] === 'password' || ['writeOnly', 'x-secret', 'x-unlogged'].some((mark) => schema[mark] === true));

/** Names of the properties that the document's schemas mark as secret. */
function secretsIn(document: unknown, node: unknown = document): string[] {
  if (!isObject(node)) return [];
  const properties = isObject(node['properties']) ? Object.entries(node['properties']) : [];
  const own = properties.filter(([, schema]) => isSecret(resolved(document, schema))).map(([name]) => name);
  return [...own, ...Object.values(node).flatMap((value) => secretsIn(document, value))];
}

/** Names of the fields that the GraphQL contract marks with `@secret`. */
function secretsInSdl(sdl: string): string[] {
  const names: string[] = [];
  const note = ({ name, directives }: FieldDefinitionNode | InputValueDefinitionNode): void => {
    if (directives?.some((directive) => directive.name.value === 'secret')) names.push(name.value);
  };
  visit(parse(sdl), { FieldDefinition: note, InputValueDefinition: note });
  return names;
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Names whose values the log must not show. */
function redaction(marked: readonly string[]): Files {
  const names = new Set(marked.flatMap((name) => [name, camelCase(name)]));
  const list = [...names].sort().map((name) => `  '${name}',\n`);
  const text = `${header('*')}
/** Fields that the contracts mark as secret, as the contracts and as the domains spell them. */
export const secretFields = [\n${list.join('')}] as const;\n`;
  return new Map([['redact.ts', text]]);
}

/** The guide whose tables follow from the contract, as seen from `generated/`. */
const GUIDE = '../contracts/guides/errors.md';

/** Every generated file by its name. */
async function generate(): Promise<Files> {
  const contract = (file: string) => bundled(fileURLToPath(new URL(file, contracts)));
  const [rest, operator] = await Promise.all([contract('openapi.yaml'), contract('operator.openapi.yaml')]);
  const words = wordsOf(rest);
  return new Map([
    ...errorWords(words),
    [GUIDE, withTables(await read('guides/errors.md'), words)],
    ...(await openapi('openapi.yaml', 'rest', rest)),
    ['samples.json', `${JSON.stringify(samplesOf({ ...rest }), null, 2)}\n`],
    ...(await openapi('operator.openapi.yaml', 'operator', operator)),
    ...(await graphql('schema.graphql')),
    ...(await webhook('tracking-webhook.schema.json')),
    ...webhooks(await contract('webhooks.openapi.yaml'), rest.info.version),
    ...redaction([...secretsIn(rest), ...secretsIn(operator), ...secretsInSdl(await read('schema.graphql'))]),
  ]);
}

/** Names of the files in `generated/` that differ from `files`, are missing or do not belong there. */
async function stale(files: Files): Promise<string[]> {
  const entries = await readdir(generated, { recursive: true, withFileTypes: true }).catch(() => []);
  const present = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(fileURLToPath(generated), join(parentPath, name)))
    .concat(GUIDE);
  const texts = await Promise.all(
    present.map(async (name) => [name, await readFile(new URL(name, generated), 'utf8')] as const),
  );
  const found = new Map(texts);
  return [...new Set([...files.keys(), ...found.keys()])].filter((name) => files.get(name) !== found.get(name)).sort();
}

async function write(files: Files, names: readonly string[]): Promise<void> {
  await mkdir(generated, { recursive: true });
  for (const name of names) {
    const text = files.get(name);
    await (text === undefined ? rm(new URL(name, generated)) : writeFile(new URL(name, generated), text));
  }
}

const files = await generate().catch((error: unknown) => {
  if (!(error instanceof ContractError)) throw error;
  console.error(error.message);
  process.exit(1);
});
const names = await stale(files);
if (process.argv.includes('--check')) {
  for (const name of names)
    console.error(`${join('generated', name)} is stale: run "npm run codegen" and check it in.`);
  process.exitCode = names.length > 0 ? 1 : 0;
} else {
  await write(files, names);
}
