import { Router } from 'express';
import { assetsRouter } from './assets.js';
import { guideRouter } from './guide/index.js';

/** The pages for people: HTML over the operations and domains that programs use too. */
export function pagesRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(assetsRouter());
  router.use(guideRouter());
  return router;
}
