import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { newId } from '../../base/ids.js';
import { actorOf } from '../authentication.js';

const SANE = /^[\w.:-]{1,128}$/;

/** The id that names the request in the answer's `X-Request-Id` and in the log. */
export const requestIdOf = ({ res }: Request): string => String(res?.getHeader('X-Request-Id') ?? '');

function nameRequest(req: Request, res: Response): void {
  const clientId = req.headers['x-request-id'];
  res.setHeader('X-Request-Id', typeof clientId === 'string' && SANE.test(clientId) ? clientId : newId());
}

/** Neither query string nor headers nor bodies: they can hold secrets and personal data. */
function line(req: Request, res: Response, ms: number): object {
  const { accountId, key } = actorOf(req) ?? {};
  return {
    requestId: requestIdOf(req),
    method: req.method,
    path: req.originalUrl.split('?', 1)[0],
    status: res.statusCode,
    ms,
    ip: req.ip,
    ...(accountId === undefined ? {} : { accountId }),
    ...(key === undefined ? {} : { keyId: key.id }),
    ...(res.writableFinished ? {} : { aborted: true }),
  };
}

/**
 * Gives every request its id (the client's `X-Request-Id` if it is sane) and writes one line when it is answered or cut off. pino-http
 * would make a logger for each request and write the query string and all headers, unless each is left out by name.
 */
export function requestLog(log: Logger): RequestHandler {
  // The search for secrets in a line whose fields are all named above costs more than the line.
  const lines = log.child({}, { redact: { paths: [] } });
  return (req, res, next) => {
    const startedAt = Date.now();
    nameRequest(req, res);
    res.once('close', () => lines.info(line(req, res, Date.now() - startedAt), 'request'));
    next();
  };
}
