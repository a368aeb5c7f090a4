import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Requests that blocks of shell would send, without a service: their `curl` writes down what it is asked for. */

export interface Call {
  method: string;
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Stands for a value of a call that is taken from an earlier answer. */
export const fromAnswer = (call: number, pointer: string): string => `<${pointer} of answer ${call}>`;

/** `curl` prints the number of the call, `field` one that stands for a field; `readonly` keeps both from blocks. */
const RECORDER = `
curl() {
  local each
  for each; do
    case $each in */docs/examples/*) cat "contracts/examples/\${each##*/docs/examples/}"; return ;; esac
  done
  echo >> "$CALLS/calls"
  local number=$(wc -l < "$CALLS/calls")
  printf '%s\\0' "$@" > "$CALLS/$number.words"
  for each; do [ "$each" != @- ] || cat > "$CALLS/$number.body"; done
  echo $number
}
field() {
  local number; read -r number
  echo "$number $1" >> "$CALLS/fields"
  echo $((7700000000 + $(wc -l < "$CALLS/fields")))
}
readonly -f curl field
make() { :; }
npm() { :; }
`;
const STANDS_FOR_FIELD = /^77\d{8}$/;

export function callsOf(blocks: readonly string[]): Call[] {
  const folder = mkdtempSync(join(tmpdir(), 'malote-calls-'));
  try {
    const env = { PATH: process.env['PATH'], HOME: folder, CALLS: folder };
    execFileSync('bash', [], { input: `${RECORDER}\n${blocks.join('\n')}`, env, stdio: ['pipe', 'ignore', 'ignore'] });
    const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const lines = text('fields').trim().split('\n');
    const fields = lines.map((line) => {
      const [, number, path = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
      return fromAnswer(Number(number), path.replaceAll(/[.[]/g, '/').replaceAll(']', ''));
    });
    const withFields = (words: string) =>
      words.replaceAll(/77\d{8}/g, (marker) => fields[Number(marker) - 7_700_000_001] ?? marker);
    return Array.from(text('calls'), (_, at) => {
      const body = join(folder, `${at + 1}.body`);
      return callOf(
        text(`${at + 1}.words`)
          .split('\0')
          .slice(0, -1),
        existsSync(body) ? readFileSync(body, 'utf8') : '',
        withFields,
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const curlOptions = {
  silent: { type: 'boolean', short: 's' },
  method: { type: 'string', short: 'X' },
  data: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
  'write-out': { type: 'string', short: 'w' },
} as const;

function callOf(words: readonly string[], input: string, withFields: (text: string) => string): Call {
  const { values, positionals } = parseArgs({ args: [...words], options: curlOptions, allowPositionals: true });
  const { method, data } = values;
  const headers = (values.header ?? []).map((header): [string, string] => {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(header) ?? [];
    return [name, withFields(value)];
  });
  const isForm = data?.startsWith('grant_type=') === true;
  const { pathname, search } = new URL(positionals[0] ?? '');
  return {
    method: method ?? (data === undefined ? 'GET' : 'POST'),
    path: withFields(pathname + search),
    headers: { ...Object.fromEntries(headers), ...(isForm && { 'Content-Type': FORM }) },
    ...(isForm && { body: formOf(data, withFields) }),
    ...(data !== undefined && !isForm && { body: bodyOf(data === '@-' ? input : data, withFields) }),
  };
}

/** The type under which curl sends data, unless it is said. */
const FORM = 'application/x-www-form-urlencoded';

const formOf = (text: string, withFields: (text: string) => string): unknown =>
  Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, withFields(value)]));

/** A field stands in a body as a text or as a number. */
function bodyOf(json: string, withFields: (text: string) => string): unknown {
  return JSON.parse(json, (_, value: unknown) =>
    STANDS_FOR_FIELD.test(String(value)) ? withFields(String(value)) : value,
  );
}
