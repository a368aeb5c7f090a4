import { createHash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { methodNotAllowed } from '../base/errors.js';
import { pageHeaders, type StaticFile, staticFile } from '../http/reply.js';

const acceptsHtml = (req: Request): boolean => /\btext\/html\b/i.test(req.get('accept') ?? '');

const headers = { Allow: 'POST, OPTIONS' };

export const refuse: RequestHandler = ({ method }, _res, next) =>
  next(methodNotAllowed('method_not_allowed', `${method} is not allowed here; send operations by POST.`, { headers }));

/** Serves a page to browsers by GET. Operations in the URL are never executed. */
export const browsersOnly: RequestHandler = (req, res, next) => {
  if (!acceptsHtml(req)) return refuse(req, res, next);
  res.vary('Accept');
  next();
};

const GREETING = `# Sign in above: every operation from this page then carries your API key.
{
  me {
    name
    email
  }
}
`;

const PAGE_HEAD = `<head>
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <link rel="stylesheet" href="/assets/explorer.css" />
  <link rel="stylesheet" href="/assets/graphiql.css" />
  <script type="module" src="/assets/graphiql.js"></script>`;

const SIGN_IN = `<header class="tool-bar">
  <a class="brand" href="/"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M16 2 29 8.5v15L16 30 3 23.5v-15z"/><path class="edges" d="M3.5 9 16 15.5 28.5 9M16 15.5V29M9.5 5.5 22.5 12v5"/></svg>Malote</a>
  <h1>GraphQL explorer</h1>
  <nav aria-label="Tools"><a href="/docs/guide/">Guide for integrators</a> <a href="/docs">REST explorer</a></nav>
</header>
<form id="sign-in" aria-label="Sign in">
  <label>E-mail <input type="email" name="email" autocomplete="username" required></label>
  <label>Password <input type="password" name="password" autocomplete="current-password"></label>
  <label>or API key <input type="password" name="key" autocomplete="off"></label>
  <button>Sign in</button>
  <output></output>
</form>
<div id="root" role="main">`;

/**
 * Serves GraphiQL as one page that loads nothing from other hosts. Its 9 MB are read and compressed at the first
 * request. Each operation takes its headers from `signedIn`, which the script of the sign-in form fills.
 */
export const graphiql = staticFile(async (): Promise<StaticFile> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const settings = { title: 'Malote GraphQL', endpoint: '/graphql', defaultQuery: GREETING, additionalHeaders: {} };
  const html = renderGraphiQL(settings)
    .trimStart()
    .replace('<head>', PAGE_HEAD)
    .replace('<div id="root">', SIGN_IN)
    .replace('"additionalHeaders":{}', '"additionalHeaders":(self.signedIn={})');
  const headers = pageHeaders(`'self' ${scriptHashes(html)}`);
  return { type: 'text/html; charset=utf-8', body: Buffer.from(html), headers };
});

/** Lists the hashes of the page's inline scripts, so that no other script runs. */
function scriptHashes(html: string): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
  return scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`).join(' ');
}
