import { adding, typescript } from './steps.js';
import { about, openapiFor, type Trial } from './trial.js';

/** Programs that do not run on Node 20 bring their own. */
const NODE = 'node@24.21.0';

export const typescriptTrials: readonly Trial[] = [
  {
    ...about('openapi-fetch', 'openapi-typescript and openapi-fetch', '7.13.0', 'TypeScript'),
    note: 'bytes are texts in its types: send them by `bodySerializer`, read them with `parseAs`',
    steps: {
      ...typescript('openapi-fetch.ts', '"openapi-typescript@$VERSION" openapi-fetch@0.17.0 typescript@5.9.3'),
      generate:
        'mkdir -p "$CONTRACT" && node_modules/.bin/openapi-typescript "$DOCUMENT" --output "$CONTRACT/schema.d.ts"',
    },
  },
  {
    ...about('hey-api', '@hey-api/openapi-ts', '0.99.0', 'TypeScript'),
    note: 'runs on Node 22.18 or later; its clients on earlier ones too',
    steps: {
      ...typescript('hey-api.ts', `"@hey-api/openapi-ts@$VERSION" typescript@5.9.3 ${NODE}`),
      generate: `node_modules/.bin/node node_modules/@hey-api/openapi-ts/bin/run.js --input "$DOCUMENT" \\
        --output "$CONTRACT" --client @hey-api/client-fetch --no-log-file`,
    },
  },
  {
    ...about('orval', 'orval (fetch)', '8.38.0', 'TypeScript'),
    note: 'runs on Node 22.18 or later; its clients on earlier ones too',
    steps: adding(typescript('orval.ts', `"orval@$VERSION" ${NODE}`), {
      written: {
        'orval.config.mjs': `const { CONTRACT, DOCUMENT, MALOTE_URL } = process.env;
const output = { target: \`\${CONTRACT}/client.ts\`, client: 'fetch', baseUrl: MALOTE_URL };
export default { client: { input: DOCUMENT, output } };`,
      },
      generate: 'node_modules/.bin/node node_modules/orval/dist/bin/orval.mjs --config orval.config.mjs',
    }),
  },
  {
    ...about('oazapfts', 'oazapfts', '7.5.0', 'TypeScript'),
    note: 'tried with `--optimistic`; reads bytes as text wherever an error may be JSON: take labels as `zpl`',
    steps: {
      ...typescript('oazapfts.ts', '"oazapfts@$VERSION" @oazapfts/runtime@1.2.0 typescript@5.9.3'),
      generate: 'mkdir -p "$CONTRACT" && node_modules/.bin/oazapfts "$DOCUMENT" "$CONTRACT/client.ts" --optimistic',
    },
  },
  {
    ...about('swagger-typescript-api', 'swagger-typescript-api', '13.13.0', 'TypeScript'),
    note: 'makes JSON of bytes: send pictures of a proof by `fetch`',
    steps: {
      ...typescript('swagger-typescript-api.ts', '"swagger-typescript-api@$VERSION"'),
      generate: `node_modules/.bin/swagger-typescript-api generate --path "$DOCUMENT" --output "$CONTRACT" \\
        --name client.ts`,
    },
  },
  {
    ...about('openapi-typescript-codegen', 'openapi-typescript-codegen', '0.31.0', 'TypeScript'),
    note: 'its token is a setting of the whole process',
    steps: {
      ...typescript('openapi-typescript-codegen.ts', '"openapi-typescript-codegen@$VERSION"'),
      generate: 'node_modules/.bin/openapi --input "$DOCUMENT" --output "$CONTRACT" --client fetch',
    },
  },
  {
    ...about('kubb', 'Kubb (axios)', '4.39.3', 'TypeScript'),
    note: "with `client: 'fetch'` it names no type of JSON: send `Content-Type: application/json` in `headers`, and pictures of a proof by `fetch`",
    steps: adding(
      typescript(
        'kubb.ts',
        `"@kubb/cli@$VERSION" "@kubb/core@$VERSION" "@kubb/plugin-oas@$VERSION" "@kubb/plugin-ts@$VERSION" \\
          "@kubb/plugin-client@$VERSION" axios@1.21.1 ${NODE}`,
      ),
      {
        written: {
          'kubb.config.ts': `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
const { CONTRACT, DOCUMENT } = process.env;
const plugins = [pluginOas(), pluginTs(), pluginClient()];
export default defineConfig({ root: '.', input: { path: DOCUMENT }, output: { path: CONTRACT }, plugins });`,
        },
        generate: 'node_modules/.bin/node node_modules/.bin/kubb generate --config kubb.config.ts',
      },
    ),
  },
  openapiFor(
    'typescript',
    ['typescript-fetch', 'TypeScript (fetch)'],
    'modelPropertyNaming=original,paramNaming=original',
    { ...typescript('openapi-generator-typescript.ts', ''), install: '' },
    'tried with `modelPropertyNaming=original,paramNaming=original`, for the names of the contract',
  ),
];
