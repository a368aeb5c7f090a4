import type { OpenAPI3 } from 'openapi-typescript';
import { type Files, header, isObject } from './files.js';
import { ContractError } from './openapi.js';

/** The words of errors, which the contract lists once: a type that the service's own equals, and the guide's tables. */

interface Reason {
  codes: readonly string[];
  retry_after?: number;
  means: string;
  do: string;
}

interface Words {
  statuses: Readonly<Record<string, number>>;
  reasons: Readonly<Record<string, Reason>>;
  details: Readonly<Record<string, string>>;
}

/** Reads what an extension says of each value of a list. Throws unless it names all of them, and no other. */
function saidOf<T>(document: OpenAPI3, name: string, extension: string): Readonly<Record<string, T>> {
  const schema = document.components?.schemas?.[name];
  const { 'x-extensible-enum': values = [], [extension]: said = {} } = Object(schema);
  const [listed, explained] = [[...values].sort().join(', '), Object.keys(said).sort().join(', ')];
  if (!isObject(schema) || listed !== explained)
    throw new ContractError(`${name}: x-extensible-enum and ${extension} name different values`);
  return said;
}

export const wordsOf = (document: OpenAPI3): Words => ({
  statuses: saidOf(document, 'ErrorCode', 'x-statuses'),
  reasons: saidOf(document, 'ErrorReason', 'x-meanings'),
  details: saidOf(document, 'DetailCode', 'x-meanings'),
});

const oneOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' | ');

const field = (name: string, type: string | number): string => `    ${name}: ${type};\n`;

/** The words by which the service makes errors, as a type. */
export function errorWords({ statuses, reasons, details }: Words): Files {
  const listed = Object.entries(reasons);
  const reasonsOf = (code: string) => listed.filter(([, { codes }]) => codes.includes(code)).map(([reason]) => reason);
  const pauses = listed.map(([reason, { retry_after: seconds }]) => (seconds ? field(reason, seconds) : ''));
  const text = `${header('openapi.yaml')}
/** The words of errors. */
export interface ErrorContract {
  /** The HTTP status of each code. */
  statuses: {
${Object.entries(statuses)
  .map(([code, status]) => field(code, status))
  .join('')}  };
  /** The reasons that each code comes with. */
  reasons: {
${Object.keys(statuses)
  .map((code) => field(code, oneOf(reasonsOf(code))))
  .join('')}  };
  reason: ${oneOf(Object.keys(reasons))};
  /** A fault of a field. */
  detail: ${oneOf(Object.keys(details))};
  /** Seconds of Retry-After at least, of the reasons that have it. */
  leastSeconds: {
${pauses.join('')}  };
}
`;
  return new Map([['errors.ts', text]]);
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

function tables({ statuses, reasons, details }: Words): readonly string[] {
  const code = (name: string) => `\`${name}\``;
  const codesOf = ({ codes }: Reason) => codes.map((each) => `${statuses[each]} ${code(each)}`).join(', ') || 'any';
  const again = ({ retry_after: seconds }: Reason) => (seconds === undefined ? '' : 'yes');
  const reasonRows = Object.entries(reasons).map(([name, reason]) => {
    return [code(name), codesOf(reason), reason.means, reason.do, again(reason)];
  });
  const detailRows = Object.entries(details).map(([name, means]) => [code(name), means]);
  return [
    table(['reason', 'status and code', 'cause', 'do', '`Retry-After`'], reasonRows),
    table(['code', 'means'], detailRows),
  ];
}

/** The guide with its tables, known by their heads, as the contract has them now. Throws where one is missing. */
export const withTables = (guide: string, words: Words): string =>
  tables(words).reduce((text, lines) => {
    const [head = ''] = lines.split('\n', 1);
    const start = text.indexOf(`${head}\n`);
    if (start < 0) throw new ContractError(`guides/errors.md has no table: ${head}`);
    const rest = text.slice(start).replace(/^(?:\|.*\n)*/, '');
    return text.slice(0, start) + lines + rest;
  }, guide);
