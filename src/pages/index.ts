/**
 * # Pages for people
 *
 * ## Who takes part
 *
 * - tracking/ serves recipients, guide/ integrators, shipper/ shippers, console/ operators. None imports another.
 * - design/ has the components, session/ sign-in and admission, shared/ what shippers and operators both see.
 * - operations.ts calls the published operations of A and D for the pages of signed-in people. So a page can do nothing
 *   that a program could not do, and it does it with the same limits and the same audit log.
 *
 * ## Promises
 *
 * - Every page works without JavaScript, and sends no request to another host.
 * - A form that is sent twice does its work once.
 *
 * Not promised: a stable structure of the HTML. Programs use the operations.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { notFound } from '../base/errors.js';
import { root } from '../base/root.js';
import { staticFile } from '../http/reply.js';
import { consoleRouter } from './console/routes.js';
import { pageErrors } from './errors.js';
import { type GuideDeps, guideRouter } from './guide/index.js';
import { shipperRouter } from './shipper/routes.js';
import { startRouter } from './start.js';
import { rememberLanguage } from './texts.js';
import { type TrackingPageDeps, trackingRouter } from './tracking/index.js';
import type { ConsoleDeps } from './visit.js';

/** The pages for people: HTML over the operations and domains that programs use too. */
export function pagesRouter(deps: GuideDeps & TrackingPageDeps & { console: ConsoleDeps }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/assets', assetsRouter());
  router.use(rememberLanguage);
  router.use(startRouter(deps));
  router.use(guideRouter(deps));
  router.use(trackingRouter(deps));
  router.use(consoleRouter(deps.console));
  router.use(shipperRouter(deps.console));
  router.use(missingPage, pageErrors(deps.log));
  return router;
}

const OF_PROGRAMS = /^\/(api|auth|operator)\//;

/** Sends a page for an unknown path to a browser. Programs get the error of their interface. */
const missingPage: RequestHandler = (req, _res, next) => {
  const isBrowser = req.accepts(['json', 'html']) === 'html' && !OF_PROGRAMS.test(req.path);
  next(isBrowser ? notFound('page') : undefined);
};

const folder = new URL('src/pages/assets/', root);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Serves the style sheets, scripts and pictures of the pages: `GET /assets/<file>`. */
function assetsRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const file of readdirSync(folder)) {
    const type = mediaTypes[extname(file)];
    if (type === undefined) throw new Error(`assets/${file} has no media type`);
    const serve = staticFile(async () => ({ type, body: await readFile(new URL(file, folder)) }));
    router.get(`/${file}`, serve);
  }
  return router;
}
