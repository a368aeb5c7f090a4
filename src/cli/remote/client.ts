import { randomUUID } from 'node:crypto';
import type { components, requests as OperatorRequests } from '../../../generated/operator.js';
import { routes as operatorRoutes } from '../../../generated/operator.routes.js';
import type { requests as RestRequests } from '../../../generated/rest.js';
import { queryText } from '../../base/query.js';
import { isFields, parseJson } from '../../base/values.js';
import { routes } from '../contract.js';
import { RefusedError, unreachable } from '../errors.js';

type Operations = RestRequests & OperatorRequests;

/** An operation of interface A or D. */
export type OperationId = keyof typeof routes & keyof Operations;

type Parameters<Id extends OperationId> = Operations[Id]['parameters'];
type Responses<Id extends OperationId> = Operations[Id]['responses'];
type Success<Id extends OperationId> = Responses<Id>[keyof Responses<Id> & (200 | 201 | 202)];

export type QueryOf<Id extends OperationId> = Exclude<Parameters<Id>['query'], undefined>;
type RequestBody<Id extends OperationId> = Operations[Id] extends { requestBody?: infer Body }
  ? Exclude<Body, undefined>
  : never;
export type BodyOf<Id extends OperationId> = [RequestBody<Id>] extends [never]
  ? never
  : RequestBody<Id> extends { content: { 'application/json': infer Body } }
    ? Body
    : never;

/** The JSON body of a success. Undefined if the operation has none. */
export type AnswerOf<Id extends OperationId> = [Success<Id>] extends [never]
  ? undefined
  : Success<Id> extends { content: { 'application/json': infer Answer } }
    ? Answer
    : undefined;

/** The values of a request. A body of bytes is sent unchanged. */
export interface Values {
  path?: object;
  query?: object;
  body?: unknown;
  /** Media type of the answer. The default is JSON, if the operation has it. */
  accept?: string;
  /** ETag of the record to change. */
  ifMatch?: string;
  /** Replaces the idempotency key of the command. */
  idempotencyKey?: string;
}

type ValuesOf<Id extends OperationId> = Values & { query?: QueryOf<Id> } & (Parameters<Id> extends { path: infer Path }
    ? { path: Path }
    : { path?: never }) &
  ([BodyOf<Id>] extends [never] ? { body?: never } : { body: BodyOf<Id> });

/** Calls operations of the interfaces A and D. Throws RefusedError for every answer but a success. */
export interface Client {
  call<Id extends OperationId>(id: Id, values: ValuesOf<Id>): Promise<AnswerOf<Id>>;
  /** Returns the answer of a success unchanged. Only the service checks the values. */
  send(id: OperationId, values: Values): Promise<Response>;
}

/** The body of a success. It has the type of the contract. */
export async function answerOf<Id extends OperationId>(response: Response): Promise<AnswerOf<Id>> {
  const text = await response.text();
  return JSON.parse(text || 'null') ?? undefined;
}

export interface TokenSource {
  /** The stored token, or a new one for the credentials of the environment. Throws CommandError if there is neither. */
  token(): Promise<string>;
  /** A new token after the service refused the last one. Undefined without a password to sign in with. */
  renewed(): Promise<string | undefined>;
}

interface ClientOptions {
  url: string;
  /** Signs requests. Without it, requests are not signed. */
  signIn?: TokenSource;
  /** Replaces `signIn` at D. Only D accepts it. */
  operatorKey?: string | undefined;
  /** Makes the POSTs of a command idempotent. Without it, each POST has a random key. */
  idempotencyKey?: string | undefined;
}

export function createClient({ url, signIn, operatorKey, idempotencyKey }: ClientOptions): Client {
  const reach = reaching(url);
  const nextKey = keysFrom(idempotencyKey);
  const key = operatorKey === undefined ? signIn : fixedToken(operatorKey);
  const send: Client['send'] = async (id, values) => {
    const tokens = id in operatorRoutes ? key : signIn;
    const request = requestOf(id, values, tokens && nextKey);
    let response = await reach(request, await tokens?.token());
    const renewed = response.status === 401 ? await tokens?.renewed() : undefined;
    if (renewed !== undefined) response = await reach(request, renewed);
    if (!response.ok) throw refusal(response, parseJson(await response.text()));
    return response;
  };
  return { send, call: async (id, values) => answerOf(await send(id, values)) };
}

const fixedToken = (token: string): TokenSource => ({ token: async () => token, renewed: async () => undefined });

/** Makes idempotency keys for POSTs: the command's own key, numbered from the second request on, or random keys. */
function keysFrom(own: string | undefined): () => string {
  let count = 0;
  return () => {
    count += 1;
    if (own === undefined) return randomUUID();
    return count === 1 ? own : `${own}.${count}`;
  };
}

interface Outgoing {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | URLSearchParams;
}

function requestOf(id: OperationId, values: Values, nextKey: (() => string) | undefined): Outgoing {
  const { method, path: template } = routes[id];
  const { path, query = {}, body, accept, ifMatch, idempotencyKey } = values;
  const ids = new Map(Object.entries(path ?? {}).map(([name, value]) => [name, encodeURIComponent(String(value))]));
  const search = queryText(query);
  const key = method === 'post' ? (idempotencyKey ?? nextKey?.()) : undefined;
  const headers = {
    ...(accept !== undefined && { accept }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(ifMatch && { 'if-match': ifMatch }),
  };
  return {
    method: method.toUpperCase(),
    path: `${template.replace(/\{(\w+)\}/g, (_, name) => ids.get(name) ?? '')}${search && `?${search}`}`,
    ...(body === undefined || body instanceof URLSearchParams
      ? { headers, ...(body && { body }) }
      : body instanceof Uint8Array
        ? { headers: { ...headers, 'content-type': 'application/octet-stream' }, body: Uint8Array.from(body) }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}

const DEADLINE_MS = 60_000;

/** Media types of the service. An answer with another type comes from something else. */
const mediaTypes = ['application/json', 'application/pdf', 'application/zpl', 'image/', 'text/csv'];

/** Sends requests. Throws CommandError if nothing answers, or if something else than this service answers. */
const reaching =
  (url: string) =>
  async ({ path, headers, ...init }: Outgoing, token: string | undefined): Promise<Response> => {
    try {
      const signed = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const response = await fetch(`${url}${path}`, { ...init, headers: signed, signal, redirect: 'error' });
      const answered = response.headers.get('content-type') ?? 'application/json';
      if (mediaTypes.some((type) => answered.startsWith(type))) return response;
      throw new Error(`it answered ${response.status} with ${answered}`);
    } catch (error) {
      throw unreachable(url, error);
    }
  };

/** Writes a refusal on one line: code, message, wrong fields, when to try again, and the id of the request. */
function refusal({ headers, status }: Response, error: unknown): RefusedError {
  const [requestId, seconds] = [headers.get('x-request-id'), headers.get('retry-after')];
  const trace = `${seconds ? ` Try again in ${seconds} s.` : ''}${requestId ? ` [request ${requestId}]` : ''}`;
  if (!isErrorBody(error)) return new RefusedError(status, `The service answered ${status}.${trace}`);
  const { code, reason, message, details } = error.error;
  const faults = details.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  const hint = hints.get(status === 401 ? 'UNAUTHENTICATED' : (reason ?? '')) ?? '';
  const text = `${code}: ${message}${faults ? ` ${faults}.` : ''}${hint}${trace}`;
  return new RefusedError(status, text, code, reason);
}

const hints: ReadonlyMap<string, string> = new Map([
  ['UNAUTHENTICATED', ' Sign in again: malote login; with OPERATOR_KEY, check that key.'],
  [
    'second_factor_required',
    ' malote login asks for the code, malote second-factor begin sets one up; programs use OPERATOR_KEY.',
  ],
]);

const isWrongField = (value: unknown): boolean =>
  isFields(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';

function isErrorBody(value: unknown): value is components['schemas']['ErrorEnvelope'] {
  const error = isFields(value) ? value['error'] : undefined;
  if (!isFields(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string') return false;
  return Array.isArray(error['details']) && error['details'].every(isWrongField);
}
