import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';
import { malformed } from '../../base/errors.js';
import type { TrustProxy } from '../../base/settings.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Obstacle } from '../../base/telemetry/readiness.js';
import { type RequestWatchers, requestLog } from './request-log.js';

// A request target must be ASCII. Node would read raw UTF-8 as Latin-1, and so change it.
const TARGET = /^[\x21-\x7e]+$/;

// One Host header: a host with an optional port (RFC 9112, 3.2). So all proxies read the same.
const HOST = /^([\w.~-]{1,253}|\[[\da-fA-F:.]{2,45}\])(:\d{1,5})?$/;

function hostRefusal({ httpVersion, headers, headersDistinct }: Request): string | undefined {
  const { host } = headersDistinct;
  if (host === undefined) return httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
  if (host.length > 1) return 'The Host header is given more than once.';
  return HOST.test(headers.host ?? '') ? undefined : 'The Host header is not valid.';
}

/** Makes an Express application with the settings of all interfaces. Request id and access log come first. */
export function expressApp({
  trustProxy,
  log,
  ...watchers
}: RequestWatchers & { trustProxy: TrustProxy; log: Logger }): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy);
  Object.assign(app.response, { json: sendJson });
  app.use(forwardedAddresses({ trusted: trustProxy !== false, log }));
  app.use(requestLog(log, watchers));
  app.use((req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    const refusal = hostRefusal(req);
    if (refusal !== undefined) return next(malformed('request_malformed', refusal));
    next(
      TARGET.test(req.originalUrl)
        ? undefined
        : malformed('request_malformed', 'The request target must be percent-encoded.'),
    );
  });
  return app;
}

/** Replaces `res.json`. Head and body are one string, which Node sends in one piece. Express would send two. */
function sendJson(this: Response, body: unknown): Response {
  if (this.req.fresh) return this.status(304).end();
  const text = JSON.stringify(body);
  this.setHeader('Content-Type', 'application/json; charset=utf-8');
  this.setHeader('Content-Length', Buffer.byteLength(text));
  return this.req.method === 'HEAD' ? this.end() : this.end(text);
}

const FORWARDED_FOR = 'x-forwarded-for';
// Matches IPv4 with a port, or IPv6 in brackets with an optional port. RFC 7239 allows quotes around both.
const WITH_PORT = /^"?(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([^\]]{2,45})\](?::\d{1,5})?)"?$/;

function addressOf(entry: string): string | undefined {
  const text = entry.trim();
  const parts = WITH_PORT.exec(text);
  const address = parts?.[1] ?? parts?.[2] ?? text;
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : undefined;
}

/** The addresses that can be trusted: from the nearest proxy back to the first entry that is not an address. */
function readable(value: string): string[] {
  const addresses = value.split(',').map(addressOf);
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).flatMap((address) => address ?? []);
}

/** Reduces `X-Forwarded-For` to plain addresses, so that limits count a client by its address only. */
function forwardedAddresses({ trusted, log }: { trusted: boolean; log: Logger }): RequestHandler {
  let isWarned = false;
  return (req, _res, next) => {
    const value = req.headers[FORWARDED_FOR];
    if (typeof value === 'string' && trusted) req.headers[FORWARDED_FOR] = readable(value).join(', ');
    if (value !== undefined && !trusted && !isWarned) {
      isWarned = true;
      log.warn('http.proxy_not_trusted');
    }
    next();
  };
}

export interface Probes {
  /** The reasons why no requests should be sent here. An empty list means that the process is ready. */
  obstacles: () => Promise<readonly Obstacle[]>;
  metrics: Pick<Registry, 'contentType' | 'metrics'>;
}

/**
 * Makes the application of the internal port: `/livez`, `/readyz`, `/metrics`. It has no limits and is not published.
 */
export function probesApp({ obstacles, metrics }: Probes): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.get('/livez', (_req, res) => void res.type('text').send('ok\n'));
  app.get('/readyz', async (_req, res) => {
    const reasons = (await obstacles()).map(({ text }) => `not ready: ${text}\n`).join('');
    res.status(reasons === '' ? 200 : 503).type('text');
    res.send(reasons || 'ready\n');
  });
  app.get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.metrics()));
  return app;
}
