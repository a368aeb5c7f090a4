/**
 * Finishes dist/ so that it runs without development packages, as production installs it: npm run build.
 * A compiled module that imports one gets the part of it that it uses; a file that the service reads of one is copied.
 */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { shippedFiles } from '../src/base/shipped.js';

/** Modules that use a small part of a large package. */
const modules = ['app/otlp-tracer', 'graphql/graphiql', 'labels/codes', 'pages/guide/markdown'];

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));

/** Keeps imports of the service's own modules. */
const ownModules: Plugin = {
  name: 'own-modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ importer, path }) =>
      importer === '' || importer.includes('node_modules') ? undefined : { path, external: true },
    ),
};

await build({
  entryPoints: modules.map((name) => `dist/src/${name}.js`),
  outdir: 'dist/src',
  outbase: 'dist/src',
  allowOverwrite: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  external: Object.keys(dependencies),
  plugins: [ownModules],
  // Packages of the older kind of module ask for those of Node.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'eof',
  logLevel: 'warning',
});

const { resolve } = createRequire(import.meta.url);
for (const file of shippedFiles) {
  const copy = join('dist/shipped', file);
  await mkdir(dirname(copy), { recursive: true });
  await copyFile(resolve(file), copy);
}
