import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { malformed } from '../base/errors.js';
import type { TrustProxy } from '../base/settings.js';
import { requestLog } from './request-log.js';

export interface AppOptions {
  /** Proxies whose `X-Forwarded-For` is believed, as Express takes it. */
  readonly trustProxy: TrustProxy;
  readonly log: Logger;
}

// Characters that a request target cannot hold unescaped; Node would read raw UTF-8 as Latin-1 and so alter it.
const TARGET = /^[\x21-\x7e]+$/;

/** An Express application with the settings of every door and, first in line, request id and access log. */
export function expressApp({ trustProxy, log }: AppOptions): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy);
  app.use(requestLog(log));
  app.use((req, _res, next) => {
    if (req.httpVersion === '1.1' && req.headers.host === undefined)
      return next(malformed('The Host header is missing.'));
    next(TARGET.test(req.originalUrl) ? undefined : malformed('The request target must be percent-encoded.'));
  });
  return app;
}
