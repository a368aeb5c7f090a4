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

/** Method and path of an operation, as the contracts have them. */
export type OperationName = NamesOf<'GET'> | NamesOf<'POST'> | NamesOf<'PUT'> | NamesOf<'DELETE'>;

type Operation<Name extends OperationName> = Name extends `${infer Method} ${infer Path extends keyof Paths}`
  ? Paths[Path][Lowercase<Method> & keyof Paths[Path]]
  : never;

type Json<Holder> = Holder extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The value with optional fields that may also be undefined: neither JSON nor a query has those then. */
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
  /** Parameters of the page's own path when left out. */
  path?: Parameters;
  query?: QueryOf<Name>;
  /** By their names in small letters. */
  headers?: Parameters;
  body?: BodyOf<Name>;
  /** Bytes in place of a body. */
  file?: Buffer;
  /** Aborted when the answer is not needed any more. */
  signal?: AbortSignal;
  /** Takes a file while it is made. */
  target?: Target;
}

/** The path with the parameters in the places of their names: `{id}`. */
export const pathWith = (path: string, parameters: Parameters): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));

/** An empty field of a filter asks for nothing. */
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
 * The pages' only way to the service: the published operations of D and A, on behalf of the account of a session. The
 * application of this process answers them, with its authentication, scopes, limits, validation and audit log. They
 * carry the id of the page's request. Each throws RefusalError for every answer but success.
 */
export function operationsFor(app: Express, req: PageRequest, token: string, own: Parameters): Operations {
  const common = {
    host: req.headers.host ?? 'localhost',
    authorization: `Bearer ${token}`,
    'x-request-id': requestIdOf(req),
    ...(typeof req.headers['traceparent'] === 'string' && { traceparent: req.headers['traceparent'] }),
  };
  /** The whole answer, for one that is a file. */
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
  /** The answer's body, as tests hold it to its contract, and the version of a record that may be changed. */
  const askVersion = async <Name extends OperationName>(name: Name, asked?: Asked<Name>) => {
    const { body, headers } = await send(name, asked);
    const data: DataOf<Name> = body.length === 0 ? undefined : JSON.parse(body.toString());
    return { data, version: String(headers['etag'] ?? '') };
  };
  const ask = async <Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name>> =>
    (await askVersion(name, asked)).data;
  /** Undefined where there is no such record. */
  const askIfAny = <Name extends OperationName>(name: Name, asked?: Asked<Name>): Promise<DataOf<Name> | undefined> =>
    ask(name, asked).catch((error: unknown) => {
      if (error instanceof RefusalError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
  return { send, ask, askVersion, askIfAny };
}

/** An answer of an operation other than success. */
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
