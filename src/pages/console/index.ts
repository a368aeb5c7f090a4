import type { Router } from 'express';
import { placeRouter } from '../session/place.js';
import type { ConsoleDeps } from '../session/visit.js';
import { consoleTexts as texts } from '../texts.js';
import { beginSecondFactor, confirmSecondFactor, showSecondFactor } from './access/second-factor.js';
import { addSignIn } from './access/sign-in.js';
import { actions, pages } from './routes.js';

export type { ConsoleDeps } from '../session/visit.js';

/** `/console`: pages for operators who have signed in. */
export function consoleRouter(deps: ConsoleDeps): Router {
  const place = { root: '/console', pages, actions, home: texts.home } as const;
  return placeRouter(deps, place, (router, admission) => {
    const { page, action } = admission;
    addSignIn(router, '/console', admission);
    router.get('/console/second-factor', page(showSecondFactor, 'enrolment'));
    router.post('/console/second-factor', action(beginSecondFactor, 'enrolment'));
    router.post('/console/second-factor/confirmation', action(confirmSecondFactor, 'enrolment'));
  });
}
