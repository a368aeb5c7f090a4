import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import webhooks from '../../generated/webhooks.openapi.json' with { type: 'json' };
import { methodNotAllowed } from '../base/errors.js';
import { root } from '../base/root.js';
import { pageHeaders, staticFile } from '../http/reply.js';
import { jsonOf, yamlOf } from './yaml.js';

interface Published {
  file: string;
  /** The text of the explorer's link to the file. Without it, there is no link. */
  name?: string;
  body: Load;
}

/** Makes or reads a text at its first request. */
type Load = () => string | Promise<string>;

const fileOf = (file: string, name?: string): Published => ({
  file,
  ...(name === undefined ? {} : { name }),
  body: () => readFile(new URL(`contracts/${file}`, root), 'utf8'),
});

/** Publishes an OpenAPI contract as one file, in YAML and in JSON. */
const openapi = (file: string, name: string, document: object): Published[] => [
  { file: `${file}.yaml`, name: `${name} (OpenAPI, YAML)`, body: () => yamlOf(document) },
  { file: `${file}.json`, name: `${name} (OpenAPI, JSON)`, body: () => jsonOf(document) },
];

/** The contracts that are published under `/docs/`. */
const contracts = ({ rest, operator, server }: DocsOptions): Published[] => [
  ...openapi('openapi', 'REST', servedBy(server, rest)),
  fileOf('schema.graphql', 'GraphQL (SDL)'),
  fileOf('tracking-webhook.schema.json', 'Tracking webhook (JSON Schema)'),
  ...openapi('webhooks.openapi', 'Tracking webhook', webhooks),
  ...openapi('operator.openapi', 'Operator', servedBy(server, operator)),
];

/** Adds the service's own address to the contract, so that programs that import it know where to send requests. */
const servedBy = (url: string, document: object): object => ({
  ...document,
  servers: [{ url, description: 'The service that publishes this description.' }],
});

function typeOf(file: string): string {
  if (file.endsWith('.schema.json')) return 'application/schema+json';
  const kind = extname(file).slice(1);
  return ['json', 'graphql', 'yaml'].includes(kind) ? `application/${kind}` : 'text/plain';
}

/** Publishes examples and journeys. The guide links to them. */
function filesIn(folder: 'examples' | 'journeys'): Published[] {
  const entries = readdirSync(new URL(`contracts/${folder}/`, root), { recursive: true });
  const files = entries.map(String).filter((file) => extname(file) !== '');
  return files.map((file) => fileOf(`${folder}/${file}`));
}

const CLIENTS = '/docs/clients/';
const PAGE = 'text/html; charset=utf-8';

/** Serves the client packages from the build, their digests, and a page that lists them. */
function clientPackages(): [path: string, serve: RequestHandler][] {
  const folder = new URL('shipped/clients/', root);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const list = own(PAGE, () => clientsPage(names), pageHeaders());
  const files = names.map((name): [string, RequestHandler] => {
    const type = extname(name) === '' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
    return [`${CLIENTS}${name}`, staticFile(async () => ({ type, body: await readFile(new URL(name, folder)) }))];
  });
  return [[CLIENTS, list], [CLIENTS.slice(0, -1), list], ...files];
}

const clientsPage = (names: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Malote – client packages</title>
${LOOK}
</head>
<body>
<main class="contracts">
  <h1>Client packages</h1>
  <p><a href="/docs/guide/clients">The guide</a> says how to install and use them.</p>
  <ul>${names.map((name) => `<li><a href="${CLIENTS}${name}">${name}</a></li>`).join('')}</ul>
  ${names.length === 0 ? '<p>This service was started without a build, which makes them: run npm run build.</p>' : ''}
</main>
</body>
</html>
`;

const explorerOptions: swaggerUi.SwaggerUiOptions = {
  customSiteTitle: 'Malote – interactive documentation',
  explorer: true,
  swaggerOptions: {
    urls: [
      { url: '/docs/openapi.json', name: 'REST' },
      { url: '/docs/operator.openapi.json', name: 'Operator' },
    ],
    // Otherwise the page calls a validator on the public internet.
    validatorUrl: null,
    persistAuthorization: true,
  },
};

const LOOK = `  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="/assets/explorer.css">`;
const pageHead = `${LOOK}
  <script type="module" src="/assets/explorer.js"></script>
</head>`;

/** The logo of all pages, as in the frame of the guide. */
const BRAND = `<a class="brand" href="/"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M16 2 29 8.5v15L16 30 3 23.5v-15z"/><path class="edges" d="M3.5 9 16 15.5 28.5 9M16 15.5V29M9.5 5.5 22.5 12v5"/></svg>Malote</a>`;

const SIGN_IN = `<form id="sign-in" aria-label="Sign in">
  <label>E-mail <input type="email" name="email" autocomplete="username" required></label>
  <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
  <output></output>
</form>`;

/**
 * The page of the explorer. Its links are absolute, so that they work at `/docs` (the contract's path) and at `/docs/`.
 */
function page(published: readonly Published[]): string {
  const links = [
    '<a href="/docs/guide/">Guide for integrators</a>',
    '<a href="/graphql">GraphQL explorer</a>',
    `<a href="${CLIENTS}">Client packages</a>`,
    ...published.map(({ file, name }) => `<a href="/docs/${file}">${name}</a>`),
  ].join(' ');
  const nav = `<a class="skip" href="#operations">Skip to the operations</a><header class="tool-bar">${BRAND}<h1>REST explorer</h1><nav aria-label="Contracts">${links}</nav></header>${SIGN_IN}`;
  return swaggerUi
    .generateHTML(undefined, explorerOptions)
    .replaceAll('"./', '"/docs/')
    .replace('</head>', pageHead)
    .replace('<div id="swagger-ui">', `${nav}<div id="swagger-ui">`)
    .trimStart();
}

const ALLOWED = 'GET, HEAD, OPTIONS';

/** Answers the preflight request that a browser sends before a page of another origin sends `If-None-Match`. */
const preflight: RequestHandler = (_req, res) => {
  res.set({ Allow: ALLOWED, 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'If-None-Match' });
  res.status(204).end();
};

const onlyGet: RequestHandler = () => {
  throw methodNotAllowed('method_not_allowed', 'Only GET and HEAD are allowed here.', { headers: { Allow: ALLOWED } });
};

interface DocsOptions {
  /** The bundled contracts of interfaces A and D. */
  rest: object;
  operator: object;
  /** Address of the service. `/` if only its clients know it. */
  server: string;
}

const STYLES = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const { resolve } = createRequire(import.meta.url);

/** The files of Swagger UI that the page needs. */
const assets: readonly [file: string, type: string][] = [
  ['swagger-ui.css', STYLES],
  ['swagger-ui-bundle.js', SCRIPT],
  ['swagger-ui-standalone-preset.js', SCRIPT],
  ['favicon-16x16.png', 'image/png'],
  ['favicon-32x32.png', 'image/png'],
];

const asset = (file: string, type: string): RequestHandler =>
  staticFile(async () => ({ type, body: await readFile(resolve(`swagger-ui-dist/${file}`)) }));

const own = (type: string, load: Load, headers = {}): RequestHandler =>
  staticFile(async () => ({ type, body: Buffer.from(await load()), headers }));

/** Serves the explorer at `/docs`, and next to it the contracts, examples and journeys. */
export function docsRouter(documents: DocsOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const published = contracts(documents);
  const explorer = own(PAGE, () => page(published), pageHeaders());
  const served: readonly [path: string, serve: RequestHandler][] = [
    ['/docs', explorer],
    ['/docs/', explorer],
    ...clientPackages(),
    ...assets.map(([file, type]): [string, RequestHandler] => [`/docs/${file}`, asset(file, type)]),
    ...[...published, ...filesIn('examples'), ...filesIn('journeys')].map(
      ({ file, body }): [string, RequestHandler] => [
        `/docs/${file}`,
        // Pages of every origin may read it.
        own(`${typeOf(file)}; charset=utf-8`, body, { 'Access-Control-Allow-Origin': '*' }),
      ],
    ),
  ];
  router.get('/docs/swagger-ui-init.js', ...swaggerUi.serveFiles(undefined, explorerOptions));
  for (const [path, serve] of served) router.route(path).get(serve).options(preflight).all(onlyGet);
  return router;
}
