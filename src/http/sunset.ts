import type { Route } from './routes.js';

/**
 * The headers that announce the end of an operation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to
 * `docs`, where the successor is described.
 */
export function sunsetHeaders({ deprecatedAt, sunset }: Route, docs: string): Readonly<Record<string, string>> {
  const relations = [...(deprecatedAt ? ['deprecation'] : []), ...(sunset ? ['sunset'] : [])];
  return {
    ...(deprecatedAt ? { Deprecation: `@${Math.floor(Date.parse(deprecatedAt) / 1000)}` } : {}),
    ...(sunset ? { Sunset: new Date(sunset).toUTCString() } : {}),
    ...(relations.length > 0
      ? { Link: relations.map((rel) => `<${docs}>; rel="${rel}"; type="text/html"`).join(', ') }
      : {}),
  };
}
