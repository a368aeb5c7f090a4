import { Router } from 'express';
import { languageOf } from '../language.js';
import { sendPage } from '../page.js';
import { ResultsPage } from './frame.js';
import { addressOf } from './links.js';
import { openSite, type Site } from './site.js';

/** `/docs/guide/`: the guide for integrators, made of contracts/guides and the contracts when somebody first asks for it. */
export function guideRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let opened: Site | undefined;
  const site = (): Site => {
    opened ??= openSite();
    return opened;
  };
  router.get('/docs/guide', (_req, res) => res.redirect(addressOf('index')));
  router.get('/docs/guide/search', async (req, res) => {
    const { pages, search } = site();
    const query = String(req.query['q'] ?? '');
    const language = languageOf(req);
    sendPage(res, <ResultsPage {...{ language, pages, query, hits: (await search()).find(query) }} />);
  });
  router.get('/docs/guide/{:file}', (req, res, next) => {
    const serve = site().files.get(req.params.file ?? '');
    return serve ? serve(req, res, next) : next();
  });
  return router;
}
