import { createHash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { methodNotAllowed } from '../base/errors.js';
import { pageHeaders, type StaticFile, staticFile } from '../http/reply.js';

const acceptsHtml = (req: Request): boolean => /\btext\/html\b/i.test(req.get('accept') ?? '');

const headers = { Allow: 'POST, OPTIONS' };

export const refuse: RequestHandler = ({ method }, _res, next) =>
  next(methodNotAllowed('method_not_allowed', `${method} is not allowed here; send operations by POST.`, { headers }));

/** GET serves a page for browsers and nothing else: operations are not read from the URL. */
export const browsersOnly: RequestHandler = (req, res, next) => {
  if (!acceptsHtml(req)) return refuse(req, res, next);
  res.vary('Accept');
  next();
};

// No header is preset: with a made-up key the page could not even read the schema.
const GREETING = `# Log in for the API key, then put this under Headers:
# { "Authorization": "ApiKey <EMAIL>:<API_KEY>" }
mutation {
  login(input: { email: "", password: "" }) {
    user {
      apiKey
    }
  }
}
`;

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />';

/** GraphiQL as one page that loads nothing from elsewhere. Its 9 MB are loaded and packed at its first request. */
export const graphiql = staticFile(async (): Promise<StaticFile> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({ title: 'Malote GraphQL', endpoint: '/graphql', defaultQuery: GREETING });
  const body = Buffer.from(html.trimStart().replace('<head>', `<head>${VIEWPORT}`));
  return { type: 'text/html; charset=utf-8', body, headers: pageHeaders(scriptHashes(body.toString())) };
});

/** Names the page's inline scripts by their hashes, so that no other runs. */
function scriptHashes(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
  return scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`).join(' ');
}
