import express, { type Express, type Request } from 'express';
import type { Logger } from 'pino';
import { malformed } from '../../base/errors.js';
import type { TrustProxy } from '../../base/settings.js';
import { forwardedAddresses } from './forwarded.js';
import { requestLog } from './request-log.js';

export interface AppOptions {
  /** Proxies whose `X-Forwarded-For` is believed, as Express takes it. */
  readonly trustProxy: TrustProxy;
  readonly log: Logger;
}

// Characters that a request target cannot hold unescaped; Node would read raw UTF-8 as Latin-1 and so alter it.
const TARGET = /^[\x21-\x7e]+$/;

// RFC 9112, 3.2: one field, which is a host with or without a port; who reads the first and who reads the last must not differ.
const HOST = /^([\w.~-]{1,253}|\[[\da-fA-F:.]{2,45}\])(:\d{1,5})?$/;

function hostRefusal({ httpVersion, headers, headersDistinct }: Request): string | undefined {
  const { host } = headersDistinct;
  if (host === undefined) return httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
  if (host.length > 1) return 'The Host header is given more than once.';
  return HOST.test(headers.host ?? '') ? undefined : 'The Host header is not valid.';
}

/** An Express application with the settings of every interface and, first in line, request id and access log. */
export function expressApp({ trustProxy, log }: AppOptions): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy);
  app.use(forwardedAddresses({ trusted: trustProxy !== false, log }));
  app.use(requestLog(log));
  app.use((req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    const refusal = hostRefusal(req);
    if (refusal !== undefined) return next(malformed(refusal));
    next(TARGET.test(req.originalUrl) ? undefined : malformed('The request target must be percent-encoded.'));
  });
  return app;
}
