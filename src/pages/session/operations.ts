import type { Express, Request as PageRequest } from 'express';
import createClient from 'openapi-fetch';
import type { components, paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { type ErrorCode, isErrorCode, ServiceError } from '../../base/errors.js';
import { isFields, parseJson } from '../../base/values.js';
import { sendWithin } from '../../http/server/in-process.js';
import { requestIdOf } from '../../http/server/request-log.js';

export type Operations = ReturnType<typeof operationsFor>;

type Parameters = Readonly<Record<string, string>>;
type Paths = OperatorPaths & RestPaths;
type NamesOf<Method extends string> = {
  [Path in keyof Paths & string]: Paths[Path] extends Record<Lowercase<Method>, object> ? `${Method} ${Path}` : never;
}[keyof Paths & string];

/** Method and path of an operation, as the contracts have them. */
export type OperationName = NamesOf<'GET'> | NamesOf<'POST'> | NamesOf<'PUT'> | NamesOf<'DELETE'>;

/** The body that an operation takes. */
export type BodyOf<Name extends OperationName> = Name extends `${infer Method} ${infer Path extends keyof Paths}`
  ? Paths[Path] extends Record<Lowercase<Method>, { requestBody?: { content: { 'application/json': infer Body } } }>
    ? Body
    : undefined
  : never;

/** The text with the parameters in the places of their names: `{id}`. */
export const filled = (text: string, parameters: Parameters): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));

export type Schemas = components['schemas'];

// It is never looked up: only path and query of a request matter.
const BASE_URL = 'http://localhost';

/** An answer with its whole body: to read that as a stream costs as much as many an operation. */
class WholeResponse extends Response {
  constructor(
    private readonly content: Buffer,
    init: ResponseInit,
  ) {
    super(null, init);
  }

  override async text(): Promise<string> {
    return this.content.toString();
  }

  override async json(): Promise<unknown> {
    return JSON.parse(this.content.toString());
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(this.content).buffer;
  }
}

const usedHeaders = ['etag', 'content-type', 'content-disposition'];

/**
 * The console's only way to the service: the published operations of D and A, on behalf of the operator of a session.
 * The application of this process answers them, with its authentication, scopes, limits, validation and audit log. They
 * carry the id of the page's request.
 */
export function operationsFor(app: Express, req: PageRequest, token: string) {
  const own = {
    host: req.headers.host ?? 'localhost',
    authorization: `Bearer ${token}`,
    'x-request-id': requestIdOf(req),
    ...(typeof req.headers['traceparent'] === 'string' && { traceparent: req.headers['traceparent'] }),
  };
  const send = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? {} : { body: await request.text() };
    const headers = { ...Object.fromEntries(request.headers), ...own };
    const { method, signal } = request;
    const inner = { method, path: `${pathname}${search}`, headers, ip: req.ip ?? '', signal, ...body };
    const answer = await sendWithin(app, inner);
    const entries = usedHeaders.flatMap((name) => {
      const value = answer.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    });
    return new WholeResponse(answer.body, {
      status: answer.status,
      headers: { 'content-length': String(answer.body.length), ...Object.fromEntries(entries) },
    });
  };
  /** Calls an operation. Throws RefusalError for every answer but success. */
  const call = async (
    operation: OperationName,
    path: Parameters,
    headers: Parameters,
    body?: object,
  ): Promise<void> => {
    const [method = '', template = ''] = operation.split(' ');
    const sent = body && { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const response = await send(new Request(BASE_URL + filled(template, path), { method, headers, ...sent }));
    if (!response.ok) throw refusalOf(parseJson(await response.text()));
  };
  const options = { baseUrl: BASE_URL, fetch: send };
  return { operator: createClient<OperatorPaths>(options), rest: createClient<RestPaths>(options), call };
}

/** An answer of an operation other than success. */
export class RefusalError extends ServiceError {
  override name = 'RefusalError';
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer of an operation; `data` is undefined without a body. Throws RefusalError for all but success. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<{ data: T | undefined; response: Response }> {
  const { data, error, response } = await call;
  if (response.ok) return { data, response };
  throw refusalOf(error);
}

function refusalOf(body: unknown): RefusalError {
  const { code, reason, message, details } = isFields(body) && isError(body['error']) ? body['error'] : unreadable;
  return new RefusalError(code, reason, message, { details });
}

/** The body of a successful answer. Throws RefusalError for every other. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data } = await answerOf(call);
  if (data === undefined) throw refusalOf(undefined);
  return data;
}

/** The body; undefined where the operation answers 404. */
export async function dataIfAny<T>(call: Promise<Answer<T>>): Promise<T | undefined> {
  const answer = await call;
  return answer.response.status === 404 ? undefined : dataOf(Promise.resolve(answer));
}

type ErrorBody = Schemas['ErrorEnvelope']['error'] & { code: ErrorCode };

const unreadable: ErrorBody = {
  code: 'INTERNAL_ERROR',
  reason: 'internal_error',
  message: 'The answer cannot be read.',
  details: [],
};

const isError = (value: unknown): value is ErrorBody =>
  isFields(value) &&
  typeof value['code'] === 'string' &&
  isErrorCode(value['code']) &&
  typeof value['message'] === 'string' &&
  Array.isArray(value['details']);
