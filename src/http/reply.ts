import { once as occurred } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { RawReply } from './handler.js';

/**
 * Sends a reply: a body without a `type` as JSON, bytes under the media type that the contract declares for them. Throws
 * what a stream throws before its first byte; later the connection is cut, so that nobody takes a part for the whole.
 */
export async function sendReply(res: Response, { status, type, body, headers = {} }: RawReply): Promise<void> {
  // Without an ETag there is nothing to compare; Express would still answer 304 to `*`.
  if (headers['ETag'] === undefined) delete res.req.headers['if-none-match'];
  // Every fetch sends `no-cache` with If-None-Match; it speaks to caches, but Express would answer 200 to it.
  delete res.req.headers['cache-control'];
  if (body instanceof Readable) await occurred(body, 'readable');
  res.status(status).set(headers);
  if (body === undefined) return void res.end();
  if (type === undefined) return void res.json(body);
  res.set({ 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  if (body instanceof Readable) return sendStream(res, body);
  if (!Buffer.isBuffer(body)) throw new TypeError(`A body of ${type} must be bytes or a stream.`);
  res.send(body);
}

async function sendStream(res: Response, body: Readable): Promise<void> {
  if (res.req.method === 'HEAD' || res.req.fresh) {
    body.destroy();
    return void (res.req.fresh ? res.status(304) : res).end();
  }
  await pipeline(body, res).catch((error: unknown) => {
    // A client that goes away is no failure of ours.
    if (!isPrematureClose(error)) throw error;
  });
}

const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
