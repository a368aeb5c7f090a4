import type { Request, RequestHandler, Response } from 'express';
import { newId } from '../../base/ids.js';
import type { Logger } from '../../base/log.js';
import {
  type Origin,
  type Span,
  type TraceParent,
  type Tracer,
  traceFields,
  traceparentIn,
  traceparentOf,
} from '../../base/tracing.js';
import { actorOf } from '../authentication.js';
import type { RequestMetrics } from './request-metrics.js';

/** What is learnt of a request on its way, for metrics and trace: both take names from the contracts only. */
interface RequestFacts extends Origin {
  interfaceName: string;
  operation: string;
  /** The status that says what came of it, where that of the answer does not. */
  trueStatus?: number;
  readonly startedAt: number;
  /** How long it took to answer a request whose connection then stays open. */
  answeredMs?: number;
  readonly traceparent: TraceParent;
}

const factsByRequest = new WeakMap<Request, RequestFacts>();

const NOBODY = 'none';
const UNKNOWN = 'unknown';

/** Where the work that a request asks for comes from. */
export const originOf = (req: Request): Origin => factsByRequest.get(req) ?? { interfaceName: NOBODY };

/** Notes the interface that answers a request, and the operation once it is known; the name must be one of the contract's. */
export function noteOperation(req: Request, interfaceName: string, operation = UNKNOWN): void {
  const facts = factsByRequest.get(req);
  if (!facts) return;
  facts.interfaceName = interfaceName;
  facts.operation = operation;
}

/** Notes what came of a request whose answer has another status. */
export function noteTrueStatus(req: Request, status: number): void {
  const facts = factsByRequest.get(req);
  if (facts) facts.trueStatus = status;
}

/** Notes that the answer has begun and goes on for as long as the client wants: for metrics it is answered now. */
export function noteAnswered(req: Request): void {
  const facts = factsByRequest.get(req);
  if (facts) facts.answeredMs = performance.now() - facts.startedAt;
}

const PLAIN_ID = /^[\w.:-]{1,128}$/;

/** The id that names the request in the answer's `X-Request-Id` and in the log. */
export const requestIdOf = ({ res }: Request): string => String(res?.getHeader('X-Request-Id') ?? '');

/** Fields of a log line that lead to the request and to its trace. */
export const requestFields = (req: Request): { requestId: string; traceId?: string } => ({
  requestId: requestIdOf(req),
  ...traceFields(factsByRequest.get(req)?.traceparent),
});

/** Returns an id of ours, which names the request unless the client named it. */
function nameRequest(req: Request, res: Response): string {
  const [clientId, id] = [req.headers['x-request-id'], newId()];
  res.setHeader('X-Request-Id', typeof clientId === 'string' && PLAIN_ID.test(clientId) ? clientId : id);
  return id;
}

/** What stands before the path where a client names the host, too (RFC 9112, 3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;
/**
 * Longer than any name, number or key of a path, percent-encoded or not: whoever has the token of a tracking link sees the package, so
 * it is left out wherever it stands, also in a path that nothing answers.
 */
const TOKEN = /[\w%.~-]{40,}/g;

const pathOf = ({ originalUrl }: Request): string | undefined =>
  originalUrl.replace(ORIGIN, '').split(/[?#]/, 1)[0]?.replace(TOKEN, '…');

/**
 * Neither query string nor headers nor bodies: they can hold secrets and personal data. What is spread comes last, as an object that a
 * spread begins takes many times as long to make.
 */
function line(req: Request, res: Response, ms: number, { traceparent }: RequestFacts): object {
  const { accountId, key } = actorOf(req) ?? {};
  return {
    requestId: requestIdOf(req),
    method: req.method,
    path: pathOf(req),
    status: res.statusCode,
    ms: Math.round(ms),
    ip: req.ip,
    ...traceFields(traceparent),
    ...(accountId === undefined ? {} : { accountId }),
    ...(key === undefined ? {} : { keyId: key.id }),
    ...(res.writableFinished ? {} : { aborted: true }),
  };
}

function endSpan(span: Span, { method }: Request, { interfaceName, operation }: RequestFacts, status: number): void {
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    'malote.interface': interfaceName,
    'malote.operation': operation,
  };
  span.end({ name: `${interfaceName} ${operation}`, attributes, failed: status >= 500 });
}

export interface RequestWatchers {
  readonly metrics?: RequestMetrics | undefined;
  readonly tracer?: Tracer | undefined;
}

/**
 * Gives every request its id (the client's `X-Request-Id` if it is plain text) and its trace (that of the client's `traceparent` if it
 * sends one, else of our id), and tells log, metrics and trace when it is answered or cut off. pino-http would make a logger for each request and write
 * the query string and all headers, unless each is left out by name.
 */
export function requestLog(log: Logger, { metrics, tracer }: RequestWatchers = {}): RequestHandler {
  // The search for secrets in a line whose fields are all named above costs more than the line.
  const lines = log.child({}, { redact: { paths: [] } });
  return (req, res, next) => {
    const id = nameRequest(req, res);
    const parent = traceparentIn(req.headers['traceparent']);
    const span = tracer?.start('request', { kind: 'server', parent });
    const facts: RequestFacts = {
      interfaceName: NOBODY,
      operation: UNKNOWN,
      startedAt: performance.now(),
      traceparent: span?.traceparent ?? parent ?? traceparentOf(id),
    };
    factsByRequest.set(req, facts);
    res.once('close', () => {
      const { interfaceName, operation, startedAt, trueStatus, answeredMs } = facts;
      const ms = performance.now() - startedAt;
      const status = trueStatus ?? res.statusCode;
      lines.info(line(req, res, ms, facts), 'request');
      const isAnswered = res.writableFinished || answeredMs !== undefined;
      metrics?.ended(interfaceName, operation, isAnswered ? status : 'aborted', (answeredMs ?? ms) / 1000);
      if (span) endSpan(span, req, facts, status);
    });
    next();
  };
}
