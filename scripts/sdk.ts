/** Makes the TypeScript client package of the public REST contract: npm run sdk [-- FOLDER], into dist/sdk unless a folder is named. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const contract = new URL('../generated/rest.openapi.json', import.meta.url);
const fetchPackage = new URL('../node_modules/openapi-fetch/package.json', import.meta.url);

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

async function packageJson(version: string): Promise<string> {
  const { version: fetchVersion } = JSON.parse(await readFile(fetchPackage, 'utf8'));
  return json({
    name: 'malote-sdk',
    version,
    description: 'Client of the Malote REST interface, generated from its contract.',
    license: 'MIT',
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['index.js', 'index.d.ts', 'schema.d.ts'],
    engines: { node: '>=18' },
    dependencies: { 'openapi-fetch': fetchVersion },
  });
}

const INDEX_JS = `export { default as createMaloteClient } from 'openapi-fetch';\n`;

const INDEX_TYPES = `import type { Client, ClientOptions } from 'openapi-fetch';
import type { components, paths } from './schema.js';

export type { components, operations, paths } from './schema.js';
export type Schemas = components['schemas'];

/** A client of the service at \`baseUrl\`; send the token in \`headers: { Authorization: 'Bearer …' }\`. */
export declare function createMaloteClient(options: ClientOptions & { baseUrl: string }): Client<paths>;
`;

async function sdk(folder: string): Promise<void> {
  const document = JSON.parse(await readFile(contract, 'utf8'));
  const files = {
    'package.json': await packageJson(document.info.version),
    'index.js': INDEX_JS,
    'index.d.ts': INDEX_TYPES,
    'schema.d.ts': astToString(await openapiTS(document, { silent: true, alphabetize: false })),
  };
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  console.log(`malote-sdk ${document.info.version} is in ${folder}`);
}

await sdk(process.argv[2] ?? fileURLToPath(new URL('../dist/sdk', import.meta.url)));
