import { type RequestHandler, Router } from 'express';
import type { Session } from '../../accounts/sessions/session.js';
import { notFound } from '../../base/errors.js';
import { settle } from '../../http/series.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import type { Text } from '../language.js';
import { refusals } from '../texts.js';
import { demandFormToken, demandSameSite, type FormReader, readForm } from './forms.js';
import { RefusalError } from './operations.js';
import {
  type Bare,
  bareVisit,
  type ConsoleDeps,
  chosenLanguage,
  cookieOf,
  type Root,
  redirect,
  rootOf,
  sessionCookie,
  signedIn,
  type Visit,
} from './visit.js';

export type Page = (visit: Visit) => Promise<void> | void;

export interface FormAction {
  work: Page;
  /** The page that shows why an operation refused the form. */
  show: Page;
  /** For a form that is large, or has a file. */
  read?: FormReader;
}

/** Pages for people of one role who have signed in, and the work of their forms, by their paths. */
interface Place {
  root: Root;
  pages: Readonly<Record<string, Page>>;
  actions: Readonly<Record<string, FormAction>>;
  /** The way back from a page of an error. */
  home: Text;
}

/** Serves a place; `add` adds pages that need another state of the session. */
export function placeRouter(
  deps: ConsoleDeps,
  { root, pages, actions, home }: Place,
  add: (router: Router, admission: Admission) => void,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const admission = admissionTo(root, deps);
  const { page, action } = admission;
  router.use(root, (req, res, next) => {
    noteOperation(req, 'pages', root.slice(1));
    res.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' });
    next();
  });
  add(router, admission);
  for (const [path, show] of Object.entries(pages)) router.get(path, page(show));
  for (const [path, each] of Object.entries(actions)) router.post(path, action(orShow(each), 'admitted', each.read));
  const missing = () => {
    throw notFound('page');
  };
  router.use(root, page(missing, 'any'));
  const notices = Object.fromEntries(Object.entries(refusals).map(([code, title]) => [code, { title }]));
  const room = { notices, showsReason: true, languageOf: chosenLanguage, home: { path: root, name: home } };
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

/** The state that a page needs of a session: admitted; or also before a second factor is set up, or given. */
type Stage = 'admitted' | 'enrolment' | 'code' | 'any';

function stageOf({ role, isAdmitted, hasSecondFactor }: Session, { requireSecondFactor }: ConsoleDeps): Stage {
  if (!isAdmitted) return 'code';
  return role === 'operator' && requireSecondFactor && !hasSecondFactor ? 'enrolment' : 'admitted';
}

const admits = (needed: Stage, stage: Stage): boolean =>
  needed === 'any' || needed === stage || (needed === 'enrolment' && stage === 'admitted');

const pathOf: Readonly<Record<Stage, string>> = {
  admitted: '',
  enrolment: '/second-factor',
  code: '/code',
  any: '',
};

type BareWork = (bare: Bare) => Promise<void> | void;

export type Admission = ReturnType<typeof admissionTo>;

function admissionTo(root: Root, deps: ConsoleDeps) {
  const { name } = sessionCookie(deps);
  const answered = (work: BareWork): RequestHandler => {
    return async (req, res) => work(bareVisit(deps, root, req, res));
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
      if (!session) return redirect(bare, `${root}/sign-in${cookieOf(bare.req, name) === undefined ? '' : '?ended'}`);
      if (rootOf(session) !== root) return redirect(bare, rootOf(session));
      const stage = stageOf(session, deps);
      if (!admits(needed, stage)) return redirect(bare, root + pathOf[stage]);
      await work(signedIn(bare, session));
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
