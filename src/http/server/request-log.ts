import type { Request, RequestHandler, Response } from 'express';
import { newId } from '../../base/ids.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { MetricMaker } from '../../base/telemetry/metrics.js';
import {
  type Origin,
  type Span,
  type TraceParent,
  type Tracer,
  traceFields,
  traceparentIn,
  traceparentOf,
} from '../../base/telemetry/tracing.js';
import { actorOf } from '../authentication.js';

interface RequestFacts extends Required<Origin> {
  interfaceName: string;
  operation: string;
  /** The path as the contract writes it. Undefined for a path that is in no contract. */
  route?: string | undefined;
  /** The status of the outcome, if the answer has another status. */
  trueStatus?: number;
  readonly startedAt: number;
  /** Milliseconds until the answer began, for a connection that stays open. */
  answeredMs?: number;
  readonly traceparent: TraceParent;
}

const factsByRequest = new WeakMap<Request, RequestFacts>();

const NOBODY = 'none';
const UNKNOWN = 'unknown';

export const originOf = (req: Request): Origin => factsByRequest.get(req) ?? { interfaceName: NOBODY };

/** The operation of the contract that the request calls. Undefined outside of a server. */
export const operationOf = (req: Request): string | undefined => factsByRequest.get(req)?.operation;

function note(req: Request, facts: Partial<RequestFacts>): void {
  Object.assign(factsByRequest.get(req) ?? {}, facts);
}

/** Notes the operation for metrics and trace. Names and routes must come from contracts only. */
export const noteOperation = (req: Request, interfaceName: string, operation = UNKNOWN, route?: string): void =>
  note(req, { interfaceName, operation, route });

export const noteTrueStatus = (req: Request, trueStatus: number): void => note(req, { trueStatus });

/** Notes that a long answer has begun. Metrics take this moment as the time of the answer. */
export const noteAnswered = (req: Request): void =>
  note(req, { answeredMs: performance.now() - (factsByRequest.get(req)?.startedAt ?? 0) });

const PLAIN_ID = /^[\w.:-]{1,128}$/;

export const requestIdOf = ({ res }: Request): string => String(res?.getHeader('X-Request-Id') ?? '');

export const requestFields = (req: Request): { requestId: string; traceId?: string } => ({
  requestId: requestIdOf(req),
  ...traceFields(factsByRequest.get(req)?.traceparent),
});

/** Names the request by the client's id if it is a plain one, else by ours. Returns our id. */
function nameRequest(req: Request, res: Response): string {
  const [clientId, id] = [req.headers['x-request-id'], newId()];
  res.setHeader('X-Request-Id', typeof clientId === 'string' && PLAIN_ID.test(clientId) ? clientId : id);
  return id;
}

/** The host that a client may send before the path (RFC 9112, 3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;
/** Matches tokens of tracking links, which open a package. They are longer than any name, number or key. */
const TOKEN = /[\w%.~-]{40,}/g;

const pathOf = ({ originalUrl }: Request): string | undefined =>
  originalUrl.replace(ORIGIN, '').split(/[?#]/, 1)[0]?.replace(TOKEN, '…');

/**
 * The fields of the log line. Query string, headers and bodies may hold secrets and personal data, so they are left
 * out. Spreads come last, because an object that starts with a spread takes much longer to make.
 */
function line(req: Request, res: Response, ms: number, { traceparent, subject }: RequestFacts): object {
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
    ...subject,
    ...(res.writableFinished ? {} : { aborted: true }),
  };
}

function endSpan(
  span: Span,
  { method }: Request,
  { interfaceName, operation, route }: RequestFacts,
  status: number,
): void {
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route === undefined ? {} : { 'http.route': route }),
    'malote.interface': interfaceName,
    'malote.operation': operation,
  };
  span.end({ name: `${interfaceName} ${operation}`, attributes, failed: status >= 500 });
}

interface RequestMetrics {
  /** `aborted` means that the client did not wait for the whole answer. */
  ended(interfaceName: string, operation: string, status: number | 'aborted', seconds: number): void;
}

/**
 * Makes the metrics of requests. Names come from contracts and statuses from the code, so no client can create new
 * series.
 */
export function requestMetrics({ histogram }: Pick<MetricMaker, 'histogram'>): RequestMetrics {
  const help =
    'Requests by interface, operation of its contract, and status; a GraphQL answer of 200 counts under the status of its gravest error';
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
  const labels = { interface: [], operation: [], status: [] };
  const durations = histogram('http_request_duration_seconds', help, buckets, labels);
  return {
    ended: (interfaceName, operation, status, seconds) =>
      durations.observe({ interface: interfaceName, operation, status }, seconds),
  };
}

export interface RequestWatchers {
  readonly metrics?: RequestMetrics | undefined;
  readonly tracer?: Tracer | undefined;
}

/**
 * Gives every request its id and its trace (from the client's `traceparent`, else from our id). Writes its end to log,
 * metrics and trace. A pino-http logger per request would cost more, and would log the query string and all headers.
 */
export function requestLog(log: Logger, { metrics, tracer }: RequestWatchers = {}): RequestHandler {
  // Every field of the line is named above, so the costly search for secrets is switched off.
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
      subject: {},
    };
    factsByRequest.set(req, facts);
    res.once('close', () => {
      const { interfaceName, operation, startedAt, trueStatus, answeredMs } = facts;
      const ms = performance.now() - startedAt;
      const status = trueStatus ?? res.statusCode;
      lines.info(line(req, res, ms, facts), 'http.request');
      const isAnswered = res.writableFinished || answeredMs !== undefined;
      metrics?.ended(interfaceName, operation, isAnswered ? status : 'aborted', (answeredMs ?? ms) / 1000);
      if (span) endSpan(span, req, facts, status);
    });
    next();
  };
}
