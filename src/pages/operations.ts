import type { Express, Request as PageRequest } from 'express';
import type { components, paths as OperatorPaths } from '../../generated/operator.js';
import type { paths as RestPaths } from '../../generated/rest.js';
import { type ErrorCode, isErrorCode, ServiceError } from '../base/errors.js';
import { queryText } from '../base/query.js';
import { isFields, parseJson } from '../base/values.js';
import { type InnerAnswer, sendWithin, type Target } from '../http/server/in-process.js';
import { requestIdOf } from '../http/server/request-log.js';

type Paths = OperatorPaths & RestPaths;
type NamesOf<Method extends string> = {
  [Path in keyof Paths & string]: Paths[Path] extends Record<Lowercase<Method>, object> ? `${Method} ${Path}` : never;
}[keyof Paths & string];

/** Method and path of an operation in the contracts. */
export type OperationName = NamesOf<'GET'> | NamesOf<'POST'> | NamesOf<'PUT'> | NamesOf<'DELETE'>;

type Operation<Name extends OperationName> = Name extends `${infer Method} ${infer Path extends keyof Paths}`
  ? Paths[Path][Lowercase<Method> & keyof Paths[Path]]
  : never;

type Json<Holder> = Holder extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The same type, but optional fields may also be undefined. JSON and queries leave such fields out. */
type Loose<T> = T extends readonly (infer Each)[]
  ? readonly Loose<Each>[]
  : T extends object
    ? { [Name in keyof T]: Loose<T[Name]> | (object extends Pick<T, Name> ? undefined : never) }
    : T;

/** The body that an operation takes. */
export type BodyOf<Name extends OperationName> =
  Operation<Name> extends { requestBody?: infer Holder } ? Loose<Json<NonNullable<Holder>>> : undefined;

type QueryOf<Name extends OperationName> =
  Operation<Name> extends { parameters: { query?: infer Query } } ? Loose<NonNullable<Query>> : never;

type Answers<Name extends OperationName> = Operation<Name> extends { responses: infer All } ? All : never;

/** The body of a successful answer. */
type DataOf<Name extends OperationName> = Json<Answers<Name>[keyof Answers<Name> & (200 | 201 | 202)]>;

export type Parameters = Readonly<Record<string, string>>;

interface Asked<Name extends OperationName> {
  /** Path parameters. The default is the parameters of the path of the page. */
  path?: Parameters;
  query?: QueryOf<Name>;
  /** Header names are in small letters. */
  headers?: Parameters;
  body?: BodyOf<Name>;
  /** Raw bytes that are sent instead of `body`. */
  file?: Buffer;
  /** Aborts the operation when nobody needs the answer any more. */
  signal?: AbortSignal;
  /** Receives the bytes of a file while the operation makes it. */
  target?: Target;
}

/** Replaces each `{name}` in the path with the value of its parameter. */
export const pathWith = (path: string, parameters: Parameters): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));

/** Adds the query to the path. Empty values are left out, so an empty field of a filter filters nothing. */
function withQuery(path: string, query: object = {}): string {
  const text = queryText(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')));
  return text === '' ? path : `${path}?${text}`;
}

export interface Operations {
  send<Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<InnerAnswer>;
  ask<Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name>>;
  askVersion<Name extends OperationName>(
    name: Name,
    asked?: Asked<Name>,
  ): Promise<{ data: DataOf<Name>; version: string }>;
  askIfAny<Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name> | undefined>;
}

/**
 * Calls the published operations of D and A for the account of a session. Pages have no other way to the service. The
 * app of this process answers, with its authentication, scopes, limits, validation and audit log. Each call carries the
 * id of the page's request, and throws RefusalError for every answer but success.
 */
export function operationsFor(app: Express, req: PageRequest, token: string, own: Parameters): Operations {
  const common = {
    host: req.headers.host ?? 'localhost',
    authorization: `Bearer ${token}`,
    'x-request-id': requestIdOf(req),
    ...(typeof req.headers['traceparent'] === 'string' && { traceparent: req.headers['traceparent'] }),
  };
  /** Returns the whole answer, for example of a file. */
  const send = async <Name extends OperationName>(name: Name, asked: Asked<Name> = {}): Promise<InnerAnswer> => {
    const [method = '', template = ''] = name.split(' ');
    const { path = own, query, signal, target, file } = asked;
    const body = asked.body === undefined ? file : JSON.stringify(asked.body);
    const type = file ? 'application/octet-stream' : 'application/json';
    const answer = await sendWithin(app, {
      method,
      path: withQuery(pathWith(template, path), query),
      headers: { ...asked.headers, ...common, ...(body !== undefined && { 'content-type': type }) },
      ip: req.ip ?? '',
      ...(signal && { signal }),
      target,
      ...(body !== undefined && { body }),
    });
    if (answer.status >= 300) throw refusalOf(parseJson(answer.body.toString()));
    return answer;
  };
  /**
   * Returns the body of the answer, which tests check against the contract, and the version of the record (its ETag).
   */
  const askVersion = async <Name extends OperationName>(name: Name, asked?: Asked<Name>) => {
    const { body, headers } = await send(name, asked);
    const data: DataOf<Name> = body.length === 0 ? undefined : JSON.parse(body.toString());
    return { data, version: String(headers['etag'] ?? '') };
  };
  const ask = async <Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name>> =>
    (await askVersion(name, asked)).data;
  /** Returns undefined if the record does not exist. */
  const askIfAny = <Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name> | undefined> =>
    ask(name, asked).catch((error: unknown) => {
      if (error instanceof RefusalError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
  return { send, ask, askVersion, askIfAny };
}

/** An error answer of an operation. */
export class RefusalError extends ServiceError {
  override name = 'RefusalError';
}

function refusalOf(body: unknown): RefusalError {
  const { code, reason, message, details } = isFields(body) && isError(body['error']) ? body['error'] : unreadable;
  const inDomainNames = details.map(({ first_date: firstDate, ...detail }) => ({
    ...detail,
    ...(firstDate && { firstDate }),
  }));
  return new RefusalError(code, reason, message, { details: inDomainNames });
}

type ErrorBody = components['schemas']['ErrorEnvelope']['error'] & { code: ErrorCode };

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
