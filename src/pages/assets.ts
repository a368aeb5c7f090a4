import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Router } from 'express';
import { staticFile } from '../http/reply.js';

const FOLDER = new URL('./assets/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `GET /assets/<file>`: the style sheets, scripts and pictures of the pages, as they lie in the folder. */
export function assetsRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const file of readdirSync(FOLDER)) {
    const type = mediaTypes[extname(file)];
    if (type === undefined) throw new Error(`assets/${file} has no media type`);
    const serve = staticFile(async () => ({ type, body: await readFile(new URL(file, FOLDER)) }));
    router.get(`/assets/${file}`, serve);
  }
  return router;
}
