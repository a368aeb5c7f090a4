import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { types } from 'node:util';
import { DefaultQueryExecutor, type QueryResult } from 'kysely';

/** Values in the first rows of each statement of src/, by the place of its call; row-types.ts compares the types. */
export interface Observation {
  /** Path from the project's root and line of the call. */
  site: string;
  /** `.column`, `.column.field` of a JSON object, `.column[]` of an array's elements. */
  path: string;
  /** `string`, `Date`, `Buffer`, `null`, … */
  kind: string;
}

const MAX_ROWS = 5;
const observedMark = Symbol.for('malote rows are observed');

/** From now on, what statements return is appended to the file, an observation in JSON on each line. */
export function observeRows(file: string): void {
  const executor = DefaultQueryExecutor.prototype;
  if (observedMark in executor) return;
  const { executeQuery } = executor;
  const written = new Set<string>();
  const write = ({ site, path, kind }: Observation): void => {
    const key = `${site} ${path} ${kind}`;
    if (!written.has(key)) appendFileSync(file, `${JSON.stringify({ site, path, kind })}\n`);
    written.add(key);
  };
  async function observed(this: DefaultQueryExecutor, ...query: Parameters<typeof executeQuery>) {
    const site = callSite();
    const result: QueryResult<unknown> = await executeQuery.apply(this, query);
    if (site !== undefined) {
      for (const row of result.rows.slice(0, MAX_ROWS)) look(row, '', (path, kind) => write({ site, path, kind }));
    }
    return result;
  }
  Object.assign(executor, { [observedMark]: true, executeQuery: observed });
}

/** Says what a value and all that is in it are. */
function look(value: unknown, path: string, say: (path: string, kind: string) => void): void {
  const kind = kindOf(value);
  say(path, kind);
  if (kind === 'array' && Array.isArray(value))
    for (const element of value.slice(0, MAX_ROWS)) look(element, `${path}[]`, say);
  if (kind === 'object') for (const [name, inner] of Object.entries(value ?? {})) look(inner, `${path}.${name}`, say);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (types.isDate(value)) return 'Date';
  if (Buffer.isBuffer(value)) return 'Buffer';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Sites by their place in the code that runs, which is cheaper to learn than the place in the source. */
const sites = new Map<string, string | undefined>();

function callSite(): string | undefined {
  const place = runningPlace();
  if (place === undefined) return undefined;
  if (!sites.has(place)) sites.set(place, sourcePlace());
  return sites.get(place);
}

/** Frames of Kysely between the call and the executor, and some more; Jest's own limit is a hundred. */
const FRAMES = 16;

function runningPlace(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, frames) => frames;
  Error.stackTraceLimit = FRAMES;
  const stack: unknown = new Error().stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  for (const frame of Array.isArray(stack) ? stack : []) {
    const file = String(frame.getFileName());
    if (file.includes('/src/') && !file.includes('node_modules'))
      return `${file}:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
  }
  return undefined;
}

function sourcePlace(): string | undefined {
  const match = /(?:file:\/\/)?(\/[^():]*\/src\/[^():]*\.ts):(\d+):\d+/.exec(new Error().stack ?? '');
  return match ? `${relative(process.cwd(), match[1] ?? '')}:${match[2]}` : undefined;
}
