import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

// No header is preset: with a made-up key the page could not even read the schema.
const greeting = `# Log in for the API key, then put this under Headers:
# { "Authorization": "ApiKey <EMAIL>:<API_KEY>" }
mutation {
  login(input: { email: "", password: "" }) {
    user {
      apiKey
    }
  }
}
`;

/** GraphiQL as one page that loads nothing from elsewhere, compressed once. */
async function render(): Promise<{ page: Buffer; packed: Buffer }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = Buffer.from(renderGraphiQL({ title: 'Malote GraphQL', endpoint: '/graphql', defaultQuery: greeting }));
  return { page, packed: await promisify(gzip)(page) };
}

/** Serves GraphiQL; its 9 MB are loaded when somebody asks for them. */
export function explorer(): RequestHandler {
  let rendered: ReturnType<typeof render> | undefined;
  return async (req, res) => {
    rendered ??= render();
    const { page, packed } = await rendered;
    const compressed = req.acceptsEncodings('gzip') === 'gzip';
    res.set({ 'Cache-Control': 'public, max-age=3600', Vary: 'Accept, Accept-Encoding' }).type('html');
    if (compressed) res.set('Content-Encoding', 'gzip');
    res.send(compressed ? packed : page);
  };
}
