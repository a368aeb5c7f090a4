import fc from 'fast-check';
import { bundles, fields, resolve } from '../contract/contract-files.js';
import type { Described } from '../contract/oracle.js';
import { bodyFor, type Records } from '../support/bodies.js';
import { pathFor } from '../support/records.js';
import { mixOf, odd, parameterFor, valueFor } from './values.js';

/** Requests for one operation of the contract, from quite right to quite wrong. */

export interface FuzzedRequest {
  readonly method: string;
  /** With its query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Records of the account that is fuzzed, made again while the fuzzing goes on. */
export interface Scene {
  readonly operatorToken: string;
  readonly own: Records;
  readonly foreign: Records;
  readonly absent: Records;
}

const segments = ['', ...'. .. % %ff %00 %2e%2e me x 0 -1 %F0%9F%98%80 ;a=b'.split(' '), 'A'.repeat(300)];

/** Percent-encoded; a lone surrogate as the three bytes that some encoders make of it, which are not UTF-8. */
const encoded = (text: string): string =>
  [...text].map((each) => (each.isWellFormed() ? encodeURIComponent(each) : '%ED%A0%80')).join('');

const parametersIn = ({ parameters }: Described, place: string) =>
  parameters.filter((parameter) => parameter['in'] === place);

/** The path that works, with one parameter of the contract's type or nearly so. */
function generatedPath(operation: Described): fc.Arbitrary<(scene: Scene) => string> {
  const values = parametersIn(operation, 'path').map((parameter) =>
    parameterFor(parameter['schema'], bundles[operation.contract]).map(
      (text) => [String(parameter['name']), text] as const,
    ),
  );
  if (values.length === 0) return fc.constant(() => operation.path);
  return fc.oneof(...values).map(([name, text]) => (scene: Scene) => {
    const template = { ...operation, path: operation.path.replace(`{${name}}`, encoded(text)) };
    return pathFor(template, scene.own);
  });
}

const pathOf = (operation: Described): fc.Arbitrary<(scene: Scene) => string> =>
  fc.oneof(
    { weight: 3, arbitrary: generatedPath(operation) },
    {
      weight: 12,
      arbitrary: fc
        .constantFrom<'own' | 'foreign' | 'absent'>('own', 'own', 'own', 'foreign', 'absent')
        .map((whose) => (scene: Scene) => pathFor(operation, scene[whose])),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...segments), fc.constantFrom('', '/', '//', '/x')).map(
        ([segment, tail]) =>
          () =>
            operation.path.replace(/\{\w+\}/g, segment) + tail,
      ),
    },
  );

const queryText = (pairs: readonly (readonly [string, string | undefined])[]): string =>
  pairs.flatMap(([name, text]) => (text === undefined ? [] : `${encoded(name)}=${encoded(text)}`)).join('&');

function queryOf(operation: Described): fc.Arbitrary<string> {
  const document = bundles[operation.contract];
  const pairs = parametersIn(operation, 'query').map((parameter) => {
    const { additionalProperties: inner } = fields(resolve(document, parameter['schema']));
    const name = inner === undefined ? String(parameter['name']) : `${parameter['name']}[key]`;
    return fc
      .option(parameterFor(inner ?? parameter['schema'], document), { freq: 3, nil: undefined })
      .map((text) => [name, text] as const);
  });
  const regular = fc.tuple(...pairs).map(queryText);
  const wrong = fc.constantFrom(...'colour=red page=1&page=2 % a[b]=c __proto__=1 page=%ff = && page=1e3'.split(' '));
  return mixOf([9, regular], [1, wrong]);
}

/** From the contract's schema, or the body that works with a spoilt field. */
function bodyOf(operation: Described): fc.Arbitrary<(scene: Scene) => string | undefined> {
  const document = bundles[operation.contract];
  const described = fields(resolve(document, operation.node['requestBody']));
  const { schema } = fields(fields(described['content'])['application/json']);
  const raw = fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"a":1}{',
    '\u0000',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  );
  const broken = fc
    .oneof(
      raw,
      odd.map((value) => JSON.stringify(value)),
    )
    .map((text) => () => text);
  if (schema === undefined) return mixOf<() => string | undefined>([9, fc.constant(() => undefined)], [1, broken]);
  const rightBody = valueFor(schema, document).map((value) => () => JSON.stringify(value));
  const working = (scene: Scene): object => bodyFor(operation, scene.own) ?? {};
  const worked = fc.constant((scene: Scene) => JSON.stringify(working(scene)));
  const spoilt = fc.tuple(fc.nat(), odd).map(([index, value]) => (scene: Scene) => {
    const body = working(scene);
    const names = Object.keys(body);
    return JSON.stringify({ ...body, [names[index % names.length] ?? 'colour']: value });
  });
  return mixOf([5, rightBody], [3, worked], [3, spoilt], [1, broken]);
}

const sometimes = (values: readonly string[], weight = 9): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) });

const headers = fc.record({
  Accept: sometimes(['*/*', 'text/html', 'application/json;q=0', ',', 'application/*;q=0.1, */*;q=0']),
  'Content-Type': sometimes([
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;;',
    'APPLICATION/JSON',
    'application/x-www-form-urlencoded',
  ]),
  'Content-Encoding': sometimes(['gzip', 'br', 'identity', 'x'], 30),
  'If-Match': sometimes([
    ...['*', '"1"', 'W/"1"', '"999"', 'x', '"', '"99999999999999999999"', ','],
    ...['"Infinity"', '"1e999"', '"0x1"', '"-0"', '"+1"', '"\u0085"', '"1\t"'],
  ]),
  'If-None-Match': sometimes(['*', '"1"', 'x', '"a", "b"']),
  'Idempotency-Key': sometimes(['key-1', 'key-2', 'a b', '', 'x'.repeat(256), 'é', '\u0085', 'a\tb', '\u00ad']),
  'X-Request-Id': sometimes(['abc', '', 'x'.repeat(200), '{}', '\u0085', 'a\tb']),
});

type Who = 'operator' | 'own' | 'wrong' | 'none';

/** Mostly those who may. */
const credentials = ({ roles }: Described): fc.Arbitrary<Who> => {
  const isForAll = roles.includes('customer');
  return mixOf(
    [isForAll ? 10 : 1, fc.constant('own' as const)],
    [isForAll ? 4 : 12, fc.constant('operator' as const)],
    [1, fc.constantFrom('wrong' as const, 'none' as const)],
  );
};

function authorization(who: Who, { operatorToken, own }: Scene): Record<string, string> {
  if (who === 'none') return {};
  const token = { operator: operatorToken, own: own.token, wrong: 'eyJhbGciOiJub25lIn0.e30.' }[who];
  return { Authorization: `Bearer ${token}` };
}

/** Any request for this operation; it becomes one by the scene that it is sent in. */
export function requestFor(operation: Described): fc.Arbitrary<(scene: Scene) => FuzzedRequest> {
  const method = mixOf(
    [40, fc.constant(operation.method)],
    [1, fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')],
  );
  return fc
    .tuple(method, pathOf(operation), queryOf(operation), bodyOf(operation), headers, credentials(operation))
    .map(([verb, path, query, body, given, who]) => (scene: Scene) => {
      const content = body(scene);
      const type = content === undefined ? {} : { 'Content-Type': 'application/json' };
      const set = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return {
        method: verb,
        target: path(scene) + (query === '' ? '' : `?${query}`),
        headers: { ...type, ...authorization(who, scene), ...Object.fromEntries(set) },
        body: content,
      };
    });
}
