import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { type FieldError, malformed, notFound, ServiceError, statusOf, unavailable } from '../base/errors.js';
import { isUnavailable } from '../db/errors.js';
import { requestIdOf } from './server/request-log.js';

/** The error body of the REST contracts. */
export interface Envelope {
  error: { code: string; message: string; details: readonly FieldError[] };
}

export const envelopeOf = ({ code, message, details }: ServiceError): Envelope => ({
  error: { code, message, details },
});

/** What the client is told of an error: nothing but a fault's public part ever leaves the service. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isUnavailable(error)) return unavailable(error);
  if (error instanceof URIError) return malformed('The path holds a percent-encoding that is not valid UTF-8.');
  return new ServiceError('INTERNAL_ERROR', 'Something went wrong on our side; the request id helps us to find it.', {
    cause: error,
  });
}

/** Last of all routes: a path that no door knows. */
export const unknownPath: RequestHandler = (_req, _res, next) => next(notFound('path'));

/** Headers of an answer that turned into an error before it was sent. */
const recordHeaders = ['ETag', 'Location', 'Idempotent-Replayed', 'Content-Type', 'Cache-Control'];

/** Being out of reach comes in floods and is no fault of the code: a line without a stack says enough. */
function report(log: Logger, fault: ServiceError, requestId: string): void {
  const err = fault.cause ?? fault;
  if (fault.code !== 'UNAVAILABLE') log.error({ err, requestId }, 'request failed');
  else log.warn({ reason: err instanceof Error ? err.message : 'overloaded', requestId }, 'unavailable');
}

/** The one place where errors become answers. A 5xx is logged with its cause. */
export function faultHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fault = serviceErrorOf(error);
    const status = statusOf(fault.code);
    if (status >= 500) report(log, fault, requestIdOf(req));
    if (res.headersSent) return void res.destroy();
    for (const name of recordHeaders) res.removeHeader(name);
    res.status(status).set(fault.headers).json(envelopeOf(fault));
  };
}
