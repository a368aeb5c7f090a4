import type { ErrorRequestHandler, RequestHandler } from 'express';
import { type FieldError, malformed, notFound, ServiceError, statusOf, unavailable } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { isUnavailable } from '../db/errors.js';
import { leaveUnread } from './body/unread-body.js';
import { operationOf, requestFields } from './server/request-log.js';

interface Envelope {
  error: Pick<ServiceError, 'code' | 'reason' | 'message'> & { details: readonly Detail[] };
}

interface Detail extends Pick<FieldError, 'field' | 'code' | 'message'> {
  order_id?: string;
  total?: string;
  first_date?: string;
}

export const envelopeOf = ({ code, reason, message, details }: ServiceError): Envelope => ({
  error: { code, reason, message, details: details.map(toDetail) },
});

const toDetail = ({ orderId, firstDate, reason: _, ...detail }: FieldError): Detail => ({
  ...detail,
  ...(orderId !== undefined && { order_id: orderId }),
  ...(firstDate !== undefined && { first_date: firstDate }),
});

const SOMETHING_WRONG = 'Something went wrong on our side; the request id helps us to find it.';

/** Makes a service error of any thrown value. Only its public part leaves the service. */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isUnavailable(thrown)) return unavailable(thrown);
  if (thrown instanceof URIError)
    return malformed('request_malformed', 'The path holds a percent-encoding that is not valid UTF-8.');
  return new ServiceError('INTERNAL_ERROR', 'internal_error', SOMETHING_WRONG, { cause: thrown });
}

/**
 * Logs a failure with its stack and returns its service error. UNAVAILABLE comes in floods, so it is logged without a
 * stack.
 */
export function reportError(thrown: unknown, log: Logger, request: object): ServiceError {
  const error = serviceErrorOf(thrown);
  const err = error.cause ?? error;
  if (error.code === 'UNAVAILABLE')
    log.warn({ reason: err instanceof Error ? err.message : 'overloaded', ...request }, 'http.unavailable');
  else if (statusOf(error.code) >= 500) log.error({ err, ...request }, 'http.failed');
  return error;
}

export const unknownPath: RequestHandler = (_req, _res, next) => next(notFound('path', 'path_not_found'));

/** Headers of the original answer that an error answer must not have. */
const recordHeaders = ['ETag', 'Location', 'Idempotent-Replayed', 'Content-Type'];

/** An error concerns one request only. Caches would keep some errors, such as 404, if they were not told otherwise. */
const notKept = { 'Cache-Control': 'no-store' };

/** The form of error answers. The default is the envelope; `errorHandler` may get another form for an operation. */
export interface ErrorForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyOf: (error: ServiceError) => object;
}

const envelope: ErrorForm = { headers: {}, bodyOf: envelopeOf };

export function errorHandler(log: Logger, others: Readonly<Record<string, ErrorForm>> = {}): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    leaveUnread(req, res);
    for (const name of recordHeaders) res.removeHeader(name);
    const { headers, bodyOf } = others[operationOf(req) ?? ''] ?? envelope;
    res.status(statusOf(error.code)).set(notKept).set(headers).set(error.headers).json(bodyOf(error));
  };
}

/** Returns the error with field names as in the REST contracts. */
export function inContractNames(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.length === 0) return error;
  const details = error.details.map(({ field, ...rest }) => ({ field: snakePath(field), ...rest }));
  const { code, reason, message, headers, cause } = error;
  return new ServiceError(code, reason, message, { details, headers, cause });
}

/** Converts a path: `packages.0.pickupIndex` becomes `packages.0.pickup_index`. */
export const snakePath = (path: string): string =>
  path.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
