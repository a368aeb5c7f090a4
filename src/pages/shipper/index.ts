import type { Router } from 'express';
import { addSignIn } from '../console/access/sign-in.js';
import { placeRouter } from '../session/place.js';
import type { ConsoleDeps } from '../session/visit.js';
import { consoleTexts as texts } from '../texts.js';
import { actions, pages } from './routes.js';

/** `/envios`: pages for shippers who have signed in, over the published operations of REST alone. */
export function shipperRouter(deps: ConsoleDeps): Router {
  return placeRouter(deps, { root: '/envios', pages, actions, home: texts.home }, (router, admission) =>
    addSignIn(router, '/envios', admission),
  );
}
