/**
 * Makes dist/, from which production runs: npm run build. The service and the packages that it imports are bundled into
 * few modules, which start in two thirds of the time; packages for development thereby run, too. Types are checked by
 * npm run typecheck.
 */
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { shippedFiles } from '../src/labels/fonts.js';

/** Packages that read files of their own or load native code: they stay in node_modules. */
const external = ['@node-rs/*', 'fontkit', 'pdfkit', 'pg-native', 'sharp', 'swagger-ui-dist', 'swagger-ui-express'];

const noMappings = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString('base64');

/** Leaves packages out of the source maps, which every process reads when it starts. */
const ownSourceMaps: Plugin = {
  name: 'own-source-maps',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = `${text}\n//# sourceMappingURL=data:application/json;base64,${noMappings}`;
      return { contents, loader: 'js' };
    }),
};

// Chunks of an earlier build have other names.
await rm('dist/src', { recursive: true, force: true });
await build({
  entryPoints: ['src/api.ts', 'src/worker.ts', 'src/malote.ts'],
  outdir: 'dist/src',
  // As deep as src/base/root.ts.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  external,
  // Packages read this: otherwise graphql-js checks more of each value. The service reads its own setting at run time.
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [ownSourceMaps],
  // Packages of the older kind of module ask for those of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'eof',
  logLevel: 'warning',
});

for (const path of ['CHANGELOG.md', 'contracts', 'src/db/schema.sql', 'src/pages/assets', 'src/routing/data']) {
  await cp(path, join('dist', path), { recursive: true });
}
const { resolve } = createRequire(import.meta.url);
for (const file of shippedFiles) {
  const copy = join('dist/shipped', file);
  await mkdir(dirname(copy), { recursive: true });
  await cp(resolve(file), copy);
}
