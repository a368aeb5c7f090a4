import { createHash } from 'node:crypto';
import { once as occurred } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { JSON_TYPE } from '../validation/operation.js';
import { withPlainTags } from './conditional.js';
import type { RawReply } from './handler.js';
import { JsonStream } from './json-stream.js';

/**
 * Sends a reply. A stream that fails before its first byte throws. Later, the connection is cut, so that nobody takes a
 * part for the whole.
 */
export async function sendReply(res: Response, { status, type, body, headers = {} }: RawReply): Promise<void> {
  const { headers: sent } = res.req;
  // Without an ETag there is nothing to compare, but Express would answer 304 to `*`.
  if (headers['ETag'] === undefined) delete sent['if-none-match'];
  else if (sent['if-none-match'] !== undefined) sent['if-none-match'] = withPlainTags(sent['if-none-match']);
  forgetCaching(res.req);
  const stream = body instanceof JsonStream ? body.bytes : body;
  if (stream instanceof Readable) await occurred(stream, 'readable');
  res.status(status).set(headers);
  if (body === undefined) return void res.end();
  if (stream instanceof Readable) {
    res.set({ 'Content-Type': type ?? JSON_TYPE, 'X-Content-Type-Options': 'nosniff' });
    return sendStream(res, stream);
  }
  if (type === undefined) return void res.json(body);
  res.set({ 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  if (!Buffer.isBuffer(body)) throw new TypeError(`A body of ${type} must be bytes or a stream.`);
  res.send(body);
}

async function sendStream(res: Response, body: Readable): Promise<void> {
  if (res.req.method === 'HEAD' || res.req.fresh) {
    body.destroy();
    return void (res.req.fresh ? res.status(304) : res).end();
  }
  await pipeline(body, res).catch((error: unknown) => {
    // A client that leaves early is not a failure of the service.
    if (!isPrematureClose(error)) throw error;
  });
}

const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Removes the header `no-cache`. fetch sends it with If-None-Match, and Express would then answer 200 instead of 304.
 */
const forgetCaching = (req: Request): void => void delete req.headers['cache-control'];

export interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of a page that runs only its own code. `scripts` are the allowed sources of scripts. */
export const pageHeaders = (scripts = "'self'"): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'self'",
    `script-src ${scripts}`,
    // Both explorers set styles from their scripts.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
});

interface Forms {
  readonly file: StaticFile;
  readonly packed: Buffer;
  readonly etag: string;
}

async function formsOf(load: () => StaticFile | Promise<StaticFile>): Promise<Forms> {
  const file = await load();
  const etag = createHash('sha256').update(file.body).digest('base64url');
  return { file, packed: await promisify(gzip)(file.body), etag };
}

/** Answers GET and HEAD with a file, compressed if the client accepts gzip. The first request loads the file. */
export function staticFile(load: () => StaticFile | Promise<StaticFile>): RequestHandler {
  let forms: Promise<Forms> | undefined;
  return async (req, res) => {
    forms ??= formsOf(load);
    const { file, packed, etag } = await forms;
    const isPacked = req.acceptsEncodings('gzip', 'identity') === 'gzip' && packed.length < file.body.length;
    res.set({
      'Content-Type': file.type,
      ETag: `"${etag}${isPacked ? '-gzip' : ''}"`,
      'Cache-Control': 'no-cache',
      ...file.headers,
    });
    res.vary('Accept-Encoding');
    forgetCaching(req);
    if (req.fresh) return void res.status(304).end();
    if (isPacked) res.set('Content-Encoding', 'gzip');
    res.send(isPacked ? packed : file.body);
  };
}
