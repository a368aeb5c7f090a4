import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { typescript } from '../../../clients/typescript/build.js';
import type { KeyedOptions, MaloteOptions, VersionedOptions } from '../../../clients/typescript/package/access.js';
import type { Call, ListCall } from '../../../clients/typescript/package/call.js';
import type * as errors from '../../../clients/typescript/package/errors.js';
import type * as webhook from '../../../clients/typescript/package/webhook.js';
import type { components } from '../../../generated/rest.js';
import { ownFolder } from '../../support/folder.js';

/** The TypeScript package as integrators use it: packed, and installed in another project. */

type Schemas = components['schemas'];

/** The parts of the generated client that these tests call. Another test checks all of its types. */
export interface Malote {
  orders: {
    create(body: Schemas['OrderCreate'], options?: KeyedOptions): Call<Schemas['Order']>;
    estimate(body: Schemas['OrderCreate']): Call<Schemas['OrderEstimate']>;
    get(id: string): Call<Schemas['Order']>;
    list(query?: object): ListCall<Schemas['OrderSummary'], Schemas['OrderList']>;
    updateStatus(id: string, body: Schemas['OrderStatusUpdate'], options?: VersionedOptions): Call<Schemas['Order']>;
  };
  packages: { getLabel(loggiKey: string, query?: object): Call<Uint8Array> };
  products: {
    create(body: Schemas['ProductInput'], options?: KeyedOptions): Call<Schemas['Product']>;
    delete(id: string): Call<void>;
  };
  users: { getCurrent(options?: KeyedOptions): Call<Schemas['User']> };
  graphql: {
    me(): Call<{ email: string }>;
    orders(variables?: object): AsyncIterable<{ pk: string }>;
    rotateApiKey(): Call<{ apiKey: string }>;
    createOrder(variables: object): Call<{ success: boolean; errors: { field: string }[] }>;
  };
}

type MaloteClient = typeof errors & typeof webhook & { Malote: new (options: MaloteOptions) => Malote };

/** The compiler options of strict integrators. */
const strictOptions: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};

const run = promisify(execFile);

/** The compiler errors of texts by file name, as `TS2322 …`. */
function complaintsIn(texts: ReadonlyMap<string, string>): string[][] {
  const host = ts.createCompilerHost(strictOptions);
  const program = ts.createProgram([...texts.keys()], strictOptions, {
    ...host,
    fileExists: (name) => texts.has(name) || host.fileExists(name),
    readFile: (name) => texts.get(name) ?? host.readFile(name),
    getSourceFile: (name, version) => {
      const text = texts.get(name);
      return text === undefined ? host.getSourceFile(name, version) : ts.createSourceFile(name, text, version);
    },
  });
  return [...texts.keys()].map((name) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
}

export async function installed() {
  const folder = await ownFolder();
  const made = join(folder, 'made');
  await typescript(made);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: made });
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  const target = join(folder, 'node_modules', 'malote-client');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', target]);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const client: MaloteClient = await import(pathToFileURL(join(target, 'index.js')).href);
  return {
    folder,
    client,
    /** The compiler errors of each text as a module of the project, as `TS2322 …`. */
    complaints: (modules: readonly string[]) =>
      complaintsIn(new Map(modules.map((text, at) => [join(folder, `module-${at}.ts`), text]))),
    load: async (name: string, source: string): Promise<unknown> => {
      const file = join(folder, `${name}.js`);
      const { ES2022: target } = ts.ScriptTarget;
      await writeFile(file, ts.transpile(source, { target, module: ts.ModuleKind.ES2022 }));
      return import(pathToFileURL(file).href);
    },
  };
}

/** All programs of a document, as one module. */
export async function programIn(document: string): Promise<string> {
  const text = await readFile(document, 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n');
}

/** Runs a program. Resolves to its result and its printed output. */
export async function listened<T>(program: () => Promise<T>): Promise<{ result: T; printed: string }> {
  const { log } = console;
  const lines: string[] = [];
  console.log = (...words) => void lines.push(words.join(' '));
  try {
    return { result: await program(), printed: lines.join('\n') };
  } finally {
    console.log = log;
  }
}
