import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { type Document, readContract, versionOf } from '../operations.js';
import { executable } from './executable.js';
import { graphqlSource } from './graphql.js';
import { clientSource, contractTypes, webhookTypes } from './resources.js';

const here = new URL('./', import.meta.url);
const project = new URL('../../', import.meta.url);

/**
 * Writes the compiled package `malote-client` into the folder: hand-written modules, and modules generated from the
 * contracts.
 */
export async function typescript(folder: string): Promise<void> {
  const sources = join(folder, 'src');
  const rest = await readContract('rest');
  await cp(new URL('package/', here), sources, { recursive: true });
  const files = [...Object.entries(await generated(rest)), ...Object.entries(entries)];
  for (const [name, text] of files) await writeFile(join(sources, name), text);
  await mkdir(folder, { recursive: true });
  compile(sources, folder);
  await rm(sources, { recursive: true });
  await executable(folder);
  const readme = await readFile(new URL('README.md', here), 'utf8');
  await writeFile(join(folder, 'README.md'), readme.replaceAll('VERSION', versionOf(rest)));
  await cp(new URL('LICENSE', project), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(rest), null, 2)}\n`);
}

async function generated(rest: Document): Promise<Record<string, string>> {
  const operator = await readContract('operator');
  const { documents, client } = await graphqlSource();
  const about = 'A client of the REST and GraphQL interfaces for one account.';
  const aboutOperator =
    'A client of the interface of those who run the service: log in as an operator, or give an operator key as `token`.';
  return {
    'rest.ts': await contractTypes(rest),
    'operator-contract.ts': await contractTypes(operator),
    'tracking-webhook.ts': await webhookTypes(),
    'contract.ts': `export type * from './rest.js';\nexport type { TrackingPayload } from './tracking-webhook.js';\n`,
    'operations.ts': documents,
    'graphql-client.ts': client,
    'malote.ts': clientSource(rest, { name: 'Malote', types: 'rest', about, hasGraphql: true }),
    'malote-operator.ts': clientSource(operator, {
      name: 'MaloteOperator',
      types: 'operator-contract',
      about: aboutOperator,
    }),
  };
}

const COMMON = `export type { KeyedOptions, MaloteOptions, RestRequest, VersionedOptions } from './access.js';
export type { Answer, Call, ConnectionCall, ListCall } from './call.js';
export { isMaloteError, isRefusedFor, MaloteConnectionError, MaloteError } from './errors.js';
export type { CallOptions } from './transport.js';
`;

/** The import paths of the package. */
const entries = {
  'index.ts': `${COMMON}
export { WebhookVerificationError } from './errors.js';
export * from './malote.js';
export type * from './rest.js';
export type { TrackedPackage, TrackingLocation, TrackingPayload, TrackingStatus } from './tracking-webhook.js';
export * from './webhook.js';
`,
  'operator.ts': `${COMMON}
export * from './malote-operator.js';
export type * from './operator-contract.js';
`,
};

/** Compiles all sources of the folder, for browsers and for Node. Throws the messages of the compiler. */
function compile(sources: string, folder: string): void {
  const program = ts.createProgram(ts.sys.readDirectory(sources, ['.ts']), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    declaration: true,
    rootDir: sources,
    outDir: folder,
  });
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (found.length === 0) return;
  throw new Error(
    ts.formatDiagnostics(found, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => sources,
      getNewLine: () => '\n',
    }),
  );
}

/**
 * The oldest Node for the package. It is older than the service's, because the clients need only `fetch` and Web
 * Crypto.
 */
const OLDEST_NODE = '>=20.19';

async function manifest(rest: Document): Promise<object> {
  const { license } = JSON.parse(await readFile(new URL('package.json', project), 'utf8'));
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'malote-client',
    version: versionOf(rest),
    description: 'Client of Malote: order deliveries, follow packages, verify tracking webhooks.',
    keywords: ['malote', 'delivery', 'shipping', 'webhook'],
    license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': entry('index'),
      './operator': entry('operator'),
      './graphql': entry('operations'),
      './package.json': './package.json',
    },
    bin: { 'malote-client': 'cli.js' },
    files: ['*.js', '*.d.ts', 'THIRD_PARTY_NOTICES'],
    engines: { node: OLDEST_NODE },
  };
}
