import { Router } from 'express';
import { assetsRouter } from './assets.js';
import { type ConsoleDeps, consoleRouter } from './console/index.js';
import { type GuideDeps, guideRouter } from './guide/index.js';
import { startRouter } from './start.js';
import { type TrackingPageDeps, trackingRouter } from './tracking/index.js';

interface PagesDeps extends GuideDeps, TrackingPageDeps {
  console: ConsoleDeps;
}

/** The pages for people: HTML over the operations and domains that programs use too. */
export function pagesRouter(deps: PagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(assetsRouter());
  router.use(startRouter(deps));
  router.use(guideRouter(deps));
  router.use(trackingRouter(deps));
  router.use(consoleRouter(deps.console));
  return router;
}
