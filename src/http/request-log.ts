import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { newId } from '../base/ids.js';
import { actorOf } from './authentication.js';

const SANE = /^[\w.:-]{1,128}$/;

/** The id that names the request in the answer's `X-Request-Id` and in the log. */
export const requestIdOf = (req: Request): string => String(req.id);

function nameRequest(req: Request, res: Response): string {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && SANE.test(given) ? given : newId();
  res.setHeader('X-Request-Id', id);
  return id;
}

/** Neither query string nor headers nor bodies: they can hold what is nobody's business. */
function line(req: Request, res: Response, { ms }: { ms: number }): object {
  const accountId = actorOf(req)?.accountId;
  return {
    method: req.method,
    path: req.originalUrl.split('?', 1)[0],
    status: res.statusCode,
    ms,
    ip: req.ip,
    ...(accountId === undefined ? {} : { accountId }),
    ...(res.writableFinished ? {} : { aborted: true }),
  };
}

/** Gives every request its id (the client's `X-Request-Id` if it is sane) and writes one line when it is answered. */
export function requestLog(log: Logger): RequestHandler {
  return pinoHttp<Request, Response>({
    logger: log,
    genReqId: nameRequest,
    quietReqLogger: true,
    quietResLogger: true,
    customAttributeKeys: { reqId: 'requestId', responseTime: 'ms' },
    customSuccessObject: line,
    customErrorObject: (req, res, _error, value) => line(req, res, value),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
}
