import type { Express, Request } from 'express';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { type ErrorCode, isErrorCode, ServiceError } from '../../base/errors.js';
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

/** Of an answer, as far as pages have a use for them. */
const headersOfUse = ['etag', 'content-type', 'content-disposition'];

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
    const { method, signal } = request;
    const inner = { method, path: `${pathname}${search}`, headers, ip: req.ip ?? '', signal, ...body };
    const answer = await sendWithin(app, inner);
    const entries = headersOfUse.flatMap((name) => {
      const value = answer.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    });
    return new WholeResponse(answer.body, {
      status: answer.status,
      headers: { 'content-length': String(answer.body.length), ...Object.fromEntries(entries) },
    });
  };
  const options = { baseUrl: BASE_URL, fetch: send };
  return { operator: createClient<OperatorPaths>(options), rest: createClient<RestPaths>(options) };
}

/** An answer of an operation that is not a success. */
export class RefusalError extends ServiceError {
  override name = 'RefusalError';
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
  throw new RefusalError(code, message, { details });
}

/** The body of a successful answer. Throws RefusalError for every other. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data } = await answerOf(call);
  if (data === undefined) throw new RefusalError(unreadable.code, unreadable.message);
  return data;
}

/** The same for what may not be there: undefined where the operation answers 404. */
export async function dataIfAny<T>(call: Promise<Answer<T>>): Promise<T | undefined> {
  const answer = await call;
  return answer.response.status === 404 ? undefined : dataOf(Promise.resolve(answer));
}

type ErrorBody = Schemas['ErrorEnvelope']['error'] & { code: ErrorCode };

const unreadable: ErrorBody = { code: 'INTERNAL_ERROR', message: 'The answer cannot be read.', details: [] };

const isError = (value: unknown): value is ErrorBody =>
  isFields(value) &&
  typeof value['code'] === 'string' &&
  isErrorCode(value['code']) &&
  typeof value['message'] === 'string' &&
  Array.isArray(value['details']);
