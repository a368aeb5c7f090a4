import { type RequestHandler, Router } from 'express';
import type { Session } from '../../accounts/sessions/session.js';
import { notFound } from '../../base/errors.js';
import { settle } from '../../http/series.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { demandFormToken, demandSameSite, type FormReader, readForm } from '../session/forms.js';
import { RefusalError } from '../session/operations.js';
import {
  asOperator,
  type Bare,
  bareVisit,
  type ConsoleDeps,
  chosenLanguage,
  cookieOf,
  redirect,
  sessionCookie,
} from '../session/visit.js';
import { refusals, consoleTexts as texts } from '../texts.js';
import { beginSecondFactor, confirmSecondFactor, showSecondFactor } from './access/second-factor.js';
import { giveCode, showCode, showSignIn, signIn, signOut } from './access/sign-in.js';
import { actions, type FormAction, type Page, pages } from './routes.js';

export type { ConsoleDeps } from '../session/visit.js';

/** `/console`: pages for operators who have signed in. */
export function consoleRouter(deps: ConsoleDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { page, action, outside } = admission(deps);
  router.use('/console', announce);

  router.get('/console/sign-in', outside(showSignIn));
  router.post('/console/sign-in', outside(signIn));
  router.get('/console/code', page(showCode, 'code'));
  router.post('/console/code', action(giveCode, 'code'));
  router.post('/console/sign-out', action(signOut, 'any'));
  router.get('/console/second-factor', page(showSecondFactor, 'enrolment'));
  router.post('/console/second-factor', action(beginSecondFactor, 'enrolment'));
  router.post('/console/second-factor/confirmation', action(confirmSecondFactor, 'enrolment'));

  for (const [path, show] of Object.entries(pages)) router.get(path, page(show));
  for (const [path, each] of Object.entries(actions)) router.post(path, action(orShow(each), 'admitted', each.read));
  const missing = () => {
    throw notFound('page');
  };
  router.use('/console', page(missing, 'any'));
  router.use(pageErrors(deps.log, room));
  return router;
}

/** An action that an operation refuses shows its page again, with the refusal and the fields that were sent. */
const orShow =
  ({ work, show }: FormAction): Page =>
  async (visit) => {
    try {
      await work(visit);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      await show({ ...visit, refusal: error });
    }
  };

const announce: RequestHandler = (req, res, next) => {
  noteOperation(req, 'pages', 'console');
  res.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' });
  next();
};

/** The state that a page needs of a session: admitted; or also before a second factor is set up, or given. */
type Stage = 'admitted' | 'enrolment' | 'code' | 'any';

function stageOf({ isAdmitted, hasSecondFactor }: Session, { requireSecondFactor }: ConsoleDeps): Stage {
  if (!isAdmitted) return 'code';
  return requireSecondFactor && !hasSecondFactor ? 'enrolment' : 'admitted';
}

const admits = (needed: Stage, stage: Stage): boolean =>
  needed === 'any' || needed === stage || (needed === 'enrolment' && stage === 'admitted');

const pathOf: Readonly<Record<Stage, string>> = {
  admitted: '/console',
  enrolment: '/console/second-factor',
  code: '/console/code',
  any: '/console',
};

type BareWork = (bare: Bare) => Promise<void> | void;

function admission(deps: ConsoleDeps) {
  const { name } = sessionCookie(deps);
  const answered = (work: BareWork): RequestHandler => {
    return async (req, res) => work(bareVisit(deps, req, res));
  };

  const sessionOf = async ({ req, res }: Bare): Promise<Session | undefined> => {
    const secret = cookieOf(req, name);
    const session = secret === undefined ? undefined : await deps.sessions.read(secret);
    // Guessing ends like that of bearer tokens.
    if (secret !== undefined && !session) await deps.limits.countFailure(req, res);
    return session;
  };

  const page = (work: Page, needed: Stage = 'admitted') =>
    answered(async (bare) => {
      const session = await sessionOf(bare);
      if (!session) return redirect(bare, `/console/sign-in${cookieOf(bare.req, name) === undefined ? '' : '?ended'}`);
      const stage = stageOf(session, deps);
      if (!admits(needed, stage)) return redirect(bare, pathOf[stage]);
      await work(asOperator(bare, session));
    });

  const action = (work: Page, needed?: Stage, read: FormReader = readForm) =>
    page(async (visit) => {
      demandSameSite(visit.req);
      const form = await read(visit.req, visit.res);
      demandFormToken(visit.session, form);
      await work({ ...visit, form });
    }, needed);

  /** For those without a session: counted by their address. */
  const outside = (work: BareWork) =>
    answered(async (bare) => {
      const { req, res } = bare;
      const isPost = req.method === 'POST';
      if (isPost) demandSameSite(req);
      await settle(deps.limits.publicByIp, req, res);
      await work(isPost ? { ...bare, form: await readForm(req, res) } : bare);
    });

  return { page, action, outside };
}

const room = {
  notices: Object.fromEntries(Object.entries(refusals).map(([code, title]) => [code, { title }])),
  showsMessage: true,
  languageOf: chosenLanguage,
  home: { path: '/console', name: texts.home },
};
