/** Writes a query string. Leaves out undefined parameters. An object becomes `name[key]=text` for each key. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)]);
  });
  return new URLSearchParams(pairs).toString();
}
