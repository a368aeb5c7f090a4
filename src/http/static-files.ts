import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

export interface StaticFile {
  /** Media type as it is sent, with its charset. */
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What every page sends: it runs its own code only, and no page of another origin can frame it. `scripts` are the sources
 * of its scripts, in the words of Content-Security-Policy.
 */
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

/**
 * Answers GET and HEAD with a file that is loaded and compressed when somebody first asks for it: gzipped to who accepts
 * that, 304 to who has it.
 */
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
    // Every fetch sends `no-cache` with If-None-Match; it speaks to caches, but Express would answer 200 to it.
    delete req.headers['cache-control'];
    if (req.fresh) return void res.status(304).end();
    if (isPacked) res.set('Content-Encoding', 'gzip');
    res.send(isPacked ? packed : file.body);
  };
}
