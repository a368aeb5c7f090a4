import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import operatorDocument from '../../../generated/operator.openapi.json' with { type: 'json' };
import { routes as operatorRoutes } from '../../../generated/operator.routes.js';
import restDocument from '../../../generated/rest.openapi.json' with { type: 'json' };
import { routes as restRoutes } from '../../../generated/rest.routes.js';
import { type Fields, isFields, parseJson } from '../../../src/base/values.js';
import { noteBreach } from './breaches.js';

/**
 * Notes the properties of successful answers of A and D, and the reasons and codes of refusals of A, B and D. A run of
 * all tests must see each that the contracts describe, because no compiler sees a renamed one. A test fails at a
 * status, a limit or a Retry-After that its contract does not document, or that is missing.
 */

const JSON_TYPES = /^application\/(?:graphql-response\+)?json/;

const observedMark = Symbol.for('malote answers are observed');

/** From now on, each property is appended to the file, on a line of its own, when it is first seen. */
export function observeAnswers(file: string): void {
  const { prototype } = ServerResponse;
  if (observedMark in prototype) return;
  const { write, end } = prototype;
  const seen = new Set<string>();
  const say = (property: string): void => {
    if (!seen.has(property)) appendFileSync(file, `${property}\n`);
    seen.add(property);
  };
  const written = new WeakMap<ServerResponse, string>();
  const collect = (answer: ServerResponse, part: unknown): string => {
    const isText = typeof part === 'string' || Buffer.isBuffer(part);
    const isJson = isText && JSON_TYPES.test(String(answer.getHeader('Content-Type')));
    const text = (written.get(answer) ?? '') + (isJson ? String(part) : '');
    written.set(answer, text);
    return text;
  };
  function observedPart(this: ServerResponse, ...args: unknown[]): unknown {
    collect(this, args[0]);
    return Reflect.apply(write, this, args);
  }
  function observed(this: ServerResponse, ...args: unknown[]): unknown {
    const text = collect(this, args[0]);
    const value = text === '' ? undefined : parseJson(text);
    const place = text === '' ? undefined : placeOf(this);
    if (place) look({ ...place, value }, say);
    for (const word of wordsIn(value)) say(word);
    for (const breach of [retryBreach(this, value), documentationBreach(this)]) if (breach) noteBreach(breach);
    return Reflect.apply(end, this, args);
  }
  Object.assign(prototype, { [observedMark]: true, write: observedPart, end: observed });
}

/** Notes the reasons and codes of an answer that a socket got without a response of the service's own. */
export function observeRaw(text: string): void {
  const file = process.env['MALOTE_TEST_ANSWERS'];
  for (const word of file ? wordsIn(parseJson(text)) : []) appendFileSync(file ?? '', `${word}\n`);
}

/** Properties, reasons and codes that no answer held in any test. */
export async function unseenProperties(file: string): Promise<string[]> {
  const seen = new Set((await readFile(file, 'utf8')).split('\n'));
  const all = new Set<string>();
  for (const { document, route } of routes) {
    for (const status of Object.keys(fieldsAt(document, answersOf(route)))) {
      const place = { document, pointer: schemaOf(route, status), value: whatever };
      if (isSuccess(status)) look(place, (property) => all.add(property));
    }
  }
  for (const list of ['ErrorReason', 'DetailCode'])
    for (const word of Object.keys(fieldsAt(restDocument, `#/components/schemas/${list}/x-meanings`)))
      all.add(`${list} ${word}`);
  return [...all].filter((property) => !seen.has(property)).sort();
}

/** The reasons and codes that an answer says, wherever they stand in it: of errors and of results. */
function wordsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  if (!isFields(value)) return [];
  const { code, reason, field, field_code: fieldCode } = value;
  const isError = typeof code === 'string' && typeof reason === 'string';
  const detail = fieldCode ?? (typeof field === 'string' ? code : undefined);
  return [
    ...(isError ? [`ErrorReason ${reason}`] : []),
    ...(typeof detail === 'string' ? [`DetailCode ${detail}`] : []),
    ...Object.values(value).flatMap(wordsIn),
  ];
}

/** Says of a refusal that it has a Retry-After which its reason does not have, or lacks the one that it has. */
function retryBreach(answer: ServerResponse, value: unknown): string | undefined {
  const { reason } = isFields(value) && isFields(value['error']) ? value['error'] : {};
  if (typeof reason !== 'string') return undefined;
  const meaning = fieldsAt(restDocument, `#/components/schemas/ErrorReason/x-meanings/${reason}`);
  const hasIt = answer.hasHeader('Retry-After');
  if ('retry_after' in meaning !== hasIt) return `${reason} is answered ${hasIt ? 'with' : 'without'} Retry-After`;
}

/** Says of an answer that its contract does not document its status, or the limits that it carries. */
function documentationBreach(answer: ServerResponse): string | undefined {
  const { statusCode: status } = answer;
  const found = status < 500 ? routeOf(answer) : undefined;
  if (!found) return undefined;
  const { document, route } = found;
  const name = `${route.method.toUpperCase()} ${route.path} answers ${status}`;
  if (!(status in fieldsAt(document, answersOf(route)))) return `${name}, which its contract does not document`;
  const documented = fieldsAt(document, `${answersOf(route)}/${status}/headers`);
  const isLimited = answer.hasHeader('X-RateLimit-Limit');
  if (isLimited && !('X-RateLimit-Limit' in documented)) return `${name} with limits that are not documented`;
}

type Route = { readonly method: string; readonly path: string };

const routesOf = (document: object, table: Readonly<Record<string, Route>>) =>
  Object.values(table).map((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return { document, route, pattern, parameters: route.path.split('{').length };
  });

/** The more a path names itself, the earlier it comes. */
const routes = [...routesOf(restDocument, restRoutes), ...routesOf(operatorDocument, operatorRoutes)].sort(
  (one, other) => one.parameters - other.parameters,
);

const isSuccess = (status: string): boolean => status.startsWith('2');
const answersOf = ({ path, method }: Route): string => `#/paths/${path.replaceAll('/', '~1')}/${method}/responses`;
const schemaOf = (route: Route, status: string): string =>
  `${answersOf(route)}/${status}/content/application~1json/schema`;

/** The place in the contract that describes the answer; undefined if the answer is no success of an operation. */
function placeOf(answer: ServerResponse): { document: object; pointer: string } | undefined {
  const status = String(answer.statusCode);
  const found = isSuccess(status) ? routeOf(answer) : undefined;
  return found && { document: found.document, pointer: schemaOf(found.route, status) };
}

/** The operation that an answer is of; undefined where it is of none. */
function routeOf({ req }: ServerResponse) {
  const url = 'originalUrl' in req ? req.originalUrl : req.url;
  const [path = ''] = String(url).split('?', 1);
  const [first, ...others] = routes.filter(({ pattern }) => pattern.test(path));
  const ofPath = first ? [first, ...others.filter(({ route }) => route.path === first.route.path)] : [];
  return ofPath.find(({ route }) => route.method.toUpperCase() === req.method);
}

/** Stands for a value that holds all that its schema describes. */
const whatever = Symbol('any');

interface Look {
  readonly document: object;
  /** JSON pointer of the schema. */
  readonly pointer: string;
  readonly value: unknown;
}

/** Says each property that a value holds, by the JSON pointer of its schema: one however many answers have it. */
function look({ document, pointer, value }: Look, say: (property: string) => void): void {
  const schema = fieldsAt(document, pointer);
  if (typeof schema['$ref'] === 'string') look({ document, pointer: schema['$ref'], value }, say);
  const inner = (more: string, part: unknown) => look({ document, pointer: `${pointer}/${more}`, value: part }, say);
  for (const at of Array.isArray(schema['allOf']) ? schema['allOf'].keys() : []) inner(`allOf/${at}`, value);
  if (isFields(schema['items'])) for (const item of Array.isArray(value) ? value : [value]) inner('items', item);
  for (const name of isFields(schema['properties']) ? Object.keys(schema['properties']) : []) {
    const held = value === whatever ? whatever : isFields(value) ? value[name] : undefined;
    if (held === undefined) continue;
    say(`${pointer}/properties/${name}`);
    inner(`properties/${name}`, held);
  }
}

/** The fields that a JSON pointer leads to, through references on the way; empty where it leads to none. */
function fieldsAt(document: object, pointer: string): Fields {
  const steps = pointer.split('/').slice(1);
  const target = steps.reduce<unknown>((at, step) => {
    const here = isFields(at) && typeof at['$ref'] === 'string' ? fieldsAt(document, at['$ref']) : at;
    return Array.isArray(here) ? here[Number(step)] : isFields(here) ? here[step.replaceAll('~1', '/')] : undefined;
  }, document);
  return isFields(target) ? target : {};
}
