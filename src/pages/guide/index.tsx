import { Router } from 'express';
import { notFound } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { languageOf } from '../language.js';
import { sendPage } from '../page.js';
import { addressOf } from './contents.js';
import { ResultsPage } from './frame.js';
import { openSite, type Site } from './site.js';

export interface GuideDeps {
  log: Logger;
}

/** `/docs/guide/`: the guide for integrators, made at the first request. */
export function guideRouter({ log }: GuideDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let opened: Site | undefined;
  const site = (): Site => {
    opened ??= openSite();
    return opened;
  };
  router.use('/docs/guide', (req, _res, next) => {
    noteOperation(req, 'pages', 'readGuide');
    next();
  });
  router.get('/docs/guide', (_req, res) => res.redirect(addressOf('index')));
  router.get('/docs/guide/search', async (req, res) => {
    const { pages, search } = site();
    const query = String(req.query['q'] ?? '');
    const language = languageOf(req);
    sendPage(res, <ResultsPage {...{ language, pages, query, hits: (await search()).find(query) }} />);
  });
  router.get('/docs/guide/{:file}', (req, res, next) => {
    const serve = site().files.get(req.params.file ?? '');
    if (!serve) throw notFound('page');
    return serve(req, res, next);
  });
  router.use(pageErrors(log));
  return router;
}
