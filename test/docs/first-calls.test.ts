import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { bundles, fields, fileText, isNode, type Node, operationsOf } from '../contract/contract-files.js';
import { blocksOf, bothSides, carriersPart, quickstart } from './both-sides.js';

/** Requests that blocks of shell would send, without a service: their `curl` writes down what it is asked for. */

interface Call {
  method: string;
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Stands for a value of a call that is taken from an earlier answer. */
const fromAnswer = (call: number, pointer: string): string => `<${pointer} of answer ${call}>`;

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

function callsOf(blocks: readonly string[]): Call[] {
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
      return pastedCall(
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

function pastedCall(words: readonly string[], input: string, withFields: (text: string) => string): Call {
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

/** The default media type of curl for data. */
const FORM = 'application/x-www-form-urlencoded';

const formOf = (text: string, withFields: (text: string) => string): unknown =>
  Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, withFields(value)]));

/** A field stands in a body as a text or as a number. */
function bodyOf(json: string, withFields: (text: string) => string): unknown {
  return JSON.parse(json, (_, value: unknown) =>
    STANDS_FOR_FIELD.test(String(value)) ? withFields(String(value)) : value,
  );
}

/** Requests of the steps of a journey, in their order, with the journey's own inputs. */

/** Values of expressions such as `$inputs.email` within a workflow. */
type Values = Map<string, unknown>;

const list = (value: unknown): Node[] => [value].flat().filter(isNode);

function journeyCalls(file: string): Call[] {
  const journey: Node = parse(fileText(`contracts/journeys/${file}`));
  let number = 0;
  const ofWorkflows: Values = new Map();
  return list(journey['workflows']).flatMap(({ workflowId, inputs, steps, outputs }) => {
    const values: Values = new Map([
      ...ofWorkflows,
      ...Object.entries(fields(fields(inputs)['properties'])).map(([name, schema]): [string, unknown] => [
        `$inputs.${name}`,
        fields(schema)['default'],
      ]),
    ]);
    const calls = list(steps).map((step) => {
      number += 1;
      const call = callOf(step, values);
      for (const [name, expression] of Object.entries(fields(step['outputs']))) {
        const pointer = String(expression).replace('$response.body#', '');
        values.set(`$steps.${step['stepId']}.outputs.${name}`, fromAnswer(number, pointer));
      }
      return call;
    });
    for (const [name, expression] of Object.entries(fields(outputs)))
      ofWorkflows.set(`$workflows.${workflowId}.outputs.${name}`, evaluated(expression, values));
    return calls;
  });
}

function callOf(step: Node, values: Values): Call {
  const parameters = list(step['parameters']);
  const placed = (place: string): [name: string, value: string][] =>
    parameters.flatMap((each) =>
      each['in'] === place ? [[String(each['name']), String(evaluated(each['value'], values))]] : [],
    );
  const { method, path } = operationOf(String(step['operationId']));
  const query = placed('query').map(([name, value]) => `${name}=${value}`);
  const ids = new Map(placed('path'));
  const { contentType, payload } = fields(step['requestBody']);
  return {
    method,
    path: [
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? ''),
      ...(query.length > 0 ? [query.join('&')] : []),
    ].join('?'),
    headers: {
      ...Object.fromEntries(placed('header')),
      ...(contentType !== undefined && { 'Content-Type': String(contentType) }),
    },
    ...(payload !== undefined && { body: evaluated(payload, values) }),
  };
}

const graphql: Node = parse(fileText('contracts/journeys/graphql.openapi.yaml'));

function operationOf(reference: string): { method: string; path: string } {
  const [, source = '', id = ''] = /^\$sourceDescriptions\.(\w+)\.(\w+)$/.exec(reference) ?? [];
  const description = { ...bundles, graphql }[source] ?? {};
  const operation = operationsOf(description).find((each) => each.id === id);
  if (!operation) throw new Error(`no operation ${reference}`);
  return operation;
}

/** A part of a payload with its expressions replaced: one that is the whole text, and those in braces. */
function evaluated(part: unknown, values: Values): unknown {
  if (Array.isArray(part)) return part.map((each) => evaluated(each, values));
  if (isNode(part))
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, evaluated(each, values)]));
  if (typeof part !== 'string') return part;
  if (values.has(part)) return values.get(part);
  return part.replaceAll(/\{(\$[\w.]+)\}/g, (_, expression: string) => String(values.get(expression)));
}

/** The calls of CONTRIBUTING.md and the quickstart, one after the other, are the journey of a first order. */

const textsOf = (blocks: readonly { language: string; text: string }[]): string[] =>
  blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);

const blocks = textsOf(bothSides());

test('both sides send what the steps of first-order.yaml send', () => {
  const calls = callsOf(blocks);
  expect(calls.length).toBeGreaterThan(10);
  expect(calls).toEqual(journeyCalls('first-order.yaml'));
});

test('a body, a header and a query that are edited alone are seen', () => {
  const edits: [string, string][] = [
    ['{"user_id":"\'$ANA\'"', '{"user_id":"\'$OPERATOR\'"'],
    ['Idempotency-Key: first-order', 'Idempotency-Key: other'],
    ['page_size=5', 'page_size=6'],
  ];
  const text = blocks.join('\n');
  for (const [from] of edits) expect(text).toContain(from);
  const edited = callsOf([edits.reduce((each, [from, to]) => each.replace(from, to), text)]);
  const right = journeyCalls('first-order.yaml');
  expect(edited.flatMap((call, at) => (isDeepStrictEqual(call, right[at]) ? [] : [at]))).toEqual([3, 8, 10]);
});

test('the quickstart is the customer alone: it plays no operator and needs no repository', () => {
  const texts = textsOf(quickstart());
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).not.toMatch(/operator|npm|make /i);
});

test('each block stands once', () => {
  const all = [quickstart(), carriersPart(), blocksOf('README.md')].flatMap(textsOf);
  expect(new Set(all).size).toBe(all.length);
});
