import type { Express, Request } from 'express';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { isFields } from '../../base/values.js';
import { sendWithin } from '../../http/server/in-process.js';
import { requestIdOf } from '../../http/server/request-log.js';

/**
 * The console's only way to the service: the published operations of D, and of A, on behalf of the operator of a session. They are answered by
 * the application of this process, so authentication, scopes, limits, validation and audit log are theirs.
 */
export interface Operations {
  readonly operator: Client<OperatorPaths>;
  readonly rest: Client<RestPaths>;
}

export type Schemas = components['schemas'];

// Never looked up: only path and query of a request matter.
const BASE_URL = 'http://localhost';

/** An answer that is there whole: to read a body as a stream costs as much as many an operation. */
class WholeResponse extends Response {
  constructor(
    private readonly content: string,
    init: ResponseInit,
  ) {
    super(null, init);
  }

  override async text(): Promise<string> {
    return this.content;
  }

  override async json(): Promise<unknown> {
    return JSON.parse(this.content);
  }
}

/** For one request of a page: what it calls carries its id. */
export function operationsFor(app: Express, req: Request, token: string): Operations {
  const own = {
    host: req.headers.host ?? 'localhost',
    authorization: `Bearer ${token}`,
    'x-request-id': requestIdOf(req),
    ...(typeof req.headers['traceparent'] === 'string' && { traceparent: req.headers['traceparent'] }),
  };
  const send = async (request: globalThis.Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? {} : { body: await request.text() };
    const headers = { ...Object.fromEntries(request.headers), ...own };
    const inner = { method: request.method, path: `${pathname}${search}`, headers, ip: req.ip ?? '', ...body };
    const answer = await sendWithin(app, inner);
    const { etag } = answer.headers;
    return new WholeResponse(answer.body.toString(), {
      status: answer.status,
      headers: { 'content-length': String(answer.body.length), ...(etag !== undefined && { etag: String(etag) }) },
    });
  };
  const options = { baseUrl: BASE_URL, fetch: send };
  return { operator: createClient<OperatorPaths>(options), rest: createClient<RestPaths>(options) };
}

/** An answer of an operation that is not a success. */
export class RefusalError extends Error {
  override name = 'RefusalError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Schemas['ErrorEnvelope']['error']['details'],
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** What an operation answers; undefined where its answer has no body. Throws RefusalError for all but success. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<{ data: T | undefined; response: Response }> {
  const { data, error, response } = await call;
  if (response.ok) return { data, response };
  const { code, message, details } = isFields(error) && isError(error['error']) ? error['error'] : unreadable;
  throw new RefusalError(response.status, code, message, details);
}

/** The body of a successful answer. Throws RefusalError for every other. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, response } = await answerOf(call);
  if (data === undefined) throw new RefusalError(response.status, unreadable.code, unreadable.message, []);
  return data;
}

/** The same for what may not be there: undefined where the operation answers 404. */
export async function dataIfAny<T>(call: Promise<Answer<T>>): Promise<T | undefined> {
  const answer = await call;
  return answer.response.status === 404 ? undefined : dataOf(Promise.resolve(answer));
}

type ErrorBody = Schemas['ErrorEnvelope']['error'];

const unreadable: ErrorBody = { code: 'INTERNAL_ERROR', message: 'The answer cannot be read.', details: [] };

const isError = (value: unknown): value is ErrorBody =>
  isFields(value) &&
  typeof value['code'] === 'string' &&
  typeof value['message'] === 'string' &&
  Array.isArray(value['details']);
