import { Router } from 'express';
import { assetsRouter } from './assets.js';
import { type GuideDeps, guideRouter } from './guide/index.js';
import { type TrackingPageDeps, trackingRouter } from './tracking/index.js';

type PagesDeps = GuideDeps & TrackingPageDeps;

/** The pages for people: HTML over the operations and domains that programs use too. */
export function pagesRouter(deps: PagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(assetsRouter());
  router.use(guideRouter(deps));
  router.use(trackingRouter(deps));
  return router;
}
