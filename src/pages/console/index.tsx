import { type RequestHandler, Router } from 'express';
import type { Session } from '../../accounts/sessions/session.js';
import { notFound } from '../../base/errors.js';
import { settle } from '../../http/series.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { beginSecondFactor, confirmSecondFactor, showSecondFactor } from './access/second-factor.js';
import { giveCode, showCode, showSignIn, signIn, signOut } from './access/sign-in.js';
import { demandFormToken, demandSameSite, type FormReader, readForm } from './forms.js';
import { RefusalError } from './operations.js';
import { type Action, actions, type FormAction, type Page, pages } from './routes.js';
import { refusals, texts } from './texts.js';
import {
  asOperator,
  type Bare,
  bareVisit,
  type ConsoleDeps,
  chosenLanguage,
  cookieOf,
  redirect,
  sessionCookie,
  type Visit,
} from './visit.js';

export type { ConsoleDeps } from './visit.js';

/** `/console`: pages for operators who have signed in. */
export function consoleRouter(deps: ConsoleDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { page, action, outside } = admission(deps);
  router.use('/console', announce);

  router.get(
    '/console/sign-in',
    outside((visit) => showSignIn(visit)),
  );
  router.post(
    '/console/sign-in',
    outside(async (visit) => signIn(deps, visit, await readForm(visit.req, visit.res))),
  );
  router.get('/console/code', page(showCode, 'code'));
  router.post(
    '/console/code',
    action((visit, form) => giveCode(deps, visit, form), 'code'),
  );
  router.post(
    '/console/sign-out',
    action((visit) => signOut(deps, visit), 'any'),
  );
  router.get(
    '/console/second-factor',
    page((visit) => showSecondFactor(deps, visit), 'enrolment'),
  );
  router.post(
    '/console/second-factor',
    action((visit) => beginSecondFactor(deps, visit), 'enrolment'),
  );
  router.post(
    '/console/second-factor/confirmation',
    action((visit, form) => confirmSecondFactor(deps, visit, form), 'enrolment'),
  );

  for (const [path, show] of Object.entries(pages)) router.get(path, page(show));
  for (const [path, each] of Object.entries(actions)) router.post(path, action(orShow(each), 'admitted', each.read));
  router.use(
    '/console',
    page(() => {
      throw notFound('page');
    }, 'any'),
  );
  router.use(pageErrors(deps.log, room));
  return router;
}

/** An action that an operation refuses shows its page again, with what was typed and why. */
const orShow =
  ({ work, show }: FormAction): Action =>
  async (visit, form) => {
    try {
      await work(visit, form);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      await show(visit, error, form);
    }
  };

const announce: RequestHandler = (req, res, next) => {
  noteOperation(req, 'pages', 'console');
  res.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' });
  next();
};

/** How far a session must be for a page: admitted; or also before a second factor is set up, or given. */
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

function admission(deps: ConsoleDeps) {
  const { name } = sessionCookie(deps);

  const sessionOf = async ({ req, res }: Bare): Promise<Session | undefined> => {
    const secret = cookieOf(req, name);
    const session = secret === undefined ? undefined : await deps.sessions.read(secret);
    // Guessing ends like that of bearer tokens.
    if (secret !== undefined && !session) await deps.limits.countFailure(req, res);
    return session;
  };

  const inside = (needed: Stage, work: (visit: Visit) => Promise<void> | void): RequestHandler =>
    rendered(deps, async (bare) => {
      const session = await sessionOf(bare);
      if (!session) return redirect(bare, `/console/sign-in${cookieOf(bare.req, name) === undefined ? '' : '?ended'}`);
      const stage = stageOf(session, deps);
      if (!admits(needed, stage)) return redirect(bare, pathOf[stage]);
      await work(asOperator(deps, bare, session));
    });

  return {
    page: (work: Page, needed: Stage = 'admitted') => inside(needed, work),
    action: (work: Action, needed: Stage = 'admitted', read: FormReader = readForm) =>
      inside(needed, async (visit) => {
        demandSameSite(visit.req);
        const form = await read(visit.req, visit.res);
        demandFormToken(visit.session, form);
        await work(visit, form);
      }),
    /** For those without a session: counted by their address. */
    outside: (work: (bare: Bare) => Promise<void> | void): RequestHandler =>
      rendered(deps, async (bare) => {
        if (bare.req.method === 'POST') demandSameSite(bare.req);
        await settle(deps.limits.publicByIp, bare.req, bare.res);
        await work(bare);
      }),
  };
}

const rendered =
  (deps: ConsoleDeps, work: (bare: Bare) => Promise<void> | void): RequestHandler =>
  async (req, res) =>
    work(bareVisit(deps, req, res));

const room = {
  notices: Object.fromEntries(Object.entries(refusals).map(([code, title]) => [code, { title }])),
  showsMessage: true,
  languageOf: chosenLanguage,
  styles: ['console.css'],
  home: { path: '/console', name: texts.home },
};
