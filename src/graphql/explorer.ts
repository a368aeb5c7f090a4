import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { pageHeaders, type StaticFile, staticFile } from '../http/reply.js';

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

/** Names the page's inline scripts by their hashes, so that no other runs. */
function hashesOf(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code);
  return scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`).join(' ');
}

/** GraphiQL as one page that loads nothing from elsewhere. */
async function render(): Promise<StaticFile> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({ title: 'Malote GraphQL', endpoint: '/graphql', defaultQuery: GREETING });
  const body = Buffer.from(html.trimStart().replace('<head>', `<head>${VIEWPORT}`));
  return { type: 'text/html; charset=utf-8', body, headers: pageHeaders(hashesOf(body.toString())) };
}

/** Serves GraphiQL; its 9 MB are loaded when somebody asks for them. */
export function explorer(): RequestHandler {
  const serve = staticFile(render);
  return (req, res, next) => {
    res.vary('Accept');
    return serve(req, res, next);
  };
}
