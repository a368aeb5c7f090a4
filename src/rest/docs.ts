import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { Fault } from '../base/errors.js';

interface Published {
  file: string;
  type: string;
  name: string;
  body: string;
}

const text = (file: string): string => readFileSync(new URL(`../../contracts/${file}`, import.meta.url), 'utf8');

/** What is published under `/docs/` (contracts/decisions.md §5): the contracts as they were written, and OpenAPI as JSON too. */
function contracts(documents: DocsOptions): Published[] {
  const json = (value: object): string => JSON.stringify(value);
  return [
    { file: 'openapi.yaml', type: 'application/yaml', name: 'REST (OpenAPI, YAML)', body: text('openapi.yaml') },
    { file: 'openapi.json', type: 'application/json', name: 'REST (OpenAPI, JSON)', body: json(documents.rest) },
    { file: 'schema.graphql', type: 'application/graphql', name: 'GraphQL (SDL)', body: text('schema.graphql') },
    {
      file: 'tracking-webhook.schema.json',
      type: 'application/schema+json',
      name: 'Tracking webhook (JSON Schema)',
      body: text('tracking-webhook.schema.json'),
    },
    {
      file: 'operator.openapi.yaml',
      type: 'application/yaml',
      name: 'Operator (OpenAPI, YAML)',
      body: text('operator.openapi.yaml'),
    },
    {
      file: 'operator.openapi.json',
      type: 'application/json',
      name: 'Operator (OpenAPI, JSON)',
      body: json(documents.operator),
    },
  ];
}

const explorerOptions: swaggerUi.SwaggerUiOptions = {
  customSiteTitle: 'Malote – interactive documentation',
  explorer: true,
  swaggerOptions: {
    urls: [
      { url: '/docs/openapi.json', name: 'REST' },
      { url: '/docs/operator.openapi.json', name: 'Operator' },
    ],
    // Otherwise the page asks a validator on the public internet.
    validatorUrl: null,
    persistAuthorization: true,
  },
};

const navStyle = `<style>
nav.contracts { display: flex; flex-wrap: wrap; gap: 0.5em 1.5em; align-items: baseline; padding: 1em 20px; font-family: sans-serif }
nav.contracts h1 { margin: 0; font-size: 1.3em }
</style>`;

/** The explorer's page; `base` lets its relative links work at `/docs`, which is the contract's path. */
function page(published: readonly Published[]): string {
  const links = published.map(({ file, name }) => `<a href="/docs/${file}">${name}</a>`).join(' ');
  const nav = `<nav class="contracts" aria-label="Contracts"><h1>The contracts</h1> ${links}</nav>`;
  return swaggerUi
    .generateHTML(undefined, explorerOptions)
    .replace('<head>', `<head>\n  <base href="/docs/">${navStyle}`)
    .replace('<div id="swagger-ui">', `${nav}<div id="swagger-ui">`)
    .trimStart();
}

/** Answers GET and HEAD with an ETag, and 304 to who has it; readable from every origin. */
function publish(type: string, body: string): RequestHandler {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return (req, res) => {
    res.set({
      'Content-Type': `${type}; charset=utf-8`,
      ETag: etag,
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
    });
    // Every fetch sends `no-cache` with If-None-Match; it speaks to caches, but Express would answer 200 to it.
    delete req.headers['cache-control'];
    if (req.fresh) res.status(304).end();
    else res.send(body);
  };
}

const allowed = 'GET, HEAD, OPTIONS';

/** A browser asks first when a page of another origin sends `If-None-Match`. */
const preflight: RequestHandler = (_req, res) => {
  res.set({ Allow: allowed, 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'If-None-Match' });
  res.status(204).end();
};

const onlyGet: RequestHandler = () => {
  throw new Fault('METHOD_NOT_ALLOWED', 'Only GET and HEAD are allowed here.', { headers: { Allow: allowed } });
};

export interface DocsOptions {
  /** The bundled descriptions of interfaces A and D. */
  rest: object;
  operator: object;
}

/** `GET /docs` with the explorer, and the contracts beside it; none of it is counted or authenticated. */
export function docsRouter(documents: DocsOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const published = contracts(documents);
  router.get('/', (_req, res) => res.redirect('/docs'));
  router
    .route('/docs')
    .get(publish('text/html', page(published)))
    .all(onlyGet);
  for (const { file, type, body } of published) {
    router.route(`/docs/${file}`).get(publish(type, body)).options(preflight).all(onlyGet);
  }
  router.use('/docs/', swaggerUi.serveFiles(undefined, explorerOptions));
  return router;
}
