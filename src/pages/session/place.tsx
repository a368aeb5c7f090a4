import { type RequestHandler, Router } from 'express';
import type { VNode } from 'preact';
import type { Session } from '../../accounts/sessions/session.js';
import { notFound, statusOf } from '../../base/errors.js';
import { inPublicTurn } from '../../http/limits/in-flight.js';
import { runStep } from '../../http/series.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { demandFormToken, demandSameSite, type FormReader, readForm } from '../forms.js';
import { RefusalError } from '../operations.js';
import { sendPage } from '../page.js';
import { cookieOf, navigation, refusals, type Text } from '../texts.js';
import type { Bare, ConsoleDeps, PlaceParts, Visit } from '../visit.js';
import { bareVisit, rootOf, sessionCookie, signedIn, VisitContext } from '../visit.js';
import { withBack } from './back.js';

/** A page to show, an address to redirect to, or undefined if the answer was already sent. */
export type Outcome = VNode | string | undefined;

export type Handler = (visit: Visit) => Promise<Outcome> | Outcome;

/** The handlers of one path. */
export interface Route {
  page?: Handler;
  /** The action of a form that is sent to the path. */
  work?: Handler;
  /** The page that shows why an operation refused the form. The default is `page`. */
  refused?: Handler;
  /** Reads a form that is large or has a file. */
  read?: FormReader;
  /**
   * Keeps the typed texts of a form that was sent after the session had ended. Returns the address that shows them
   * again.
   */
  keep?: (bare: Bare) => Promise<string>;
}

/** The pages of one role and the actions of their forms, by path. They need a sign-in. */
export interface Place extends PlaceParts {
  /** The text of the link on an error page. */
  homeName: Text;
  routes: Readonly<Record<string, Route>>;
}

/** Menu links to these paths, each with the name of its page. */
export const linksTo = (...paths: (keyof typeof navigation)[]) =>
  paths.map((path) => [path, navigation[path]] as const);

/** Serves the pages of a role. `add` adds pages that need another state of the session. */
export function placeRouter(
  deps: ConsoleDeps,
  place: Place,
  add: (router: Router, admission: Admission) => void,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { home: root, homeName: text, routes } = place;
  const admission = admissionTo(place, deps);
  const { page, action } = admission;
  router.use(root, (req, res, next) => {
    noteOperation(req, 'pages', root.slice(1));
    res.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' });
    next();
  });
  add(router, admission);
  for (const [path, route] of Object.entries(routes)) {
    if (route.page) router.get(path, page(route.page));
    const { work, refused = route.page, read, keep } = route;
    if (work) router.post(path, action(orShow(work, refused), 'admitted', read, keep));
  }
  const missing = () => {
    throw notFound('page');
  };
  router.use(root, page(missing, 'any'));
  const notices = Object.fromEntries(Object.entries(refusals).map(([code, title]) => [code, { title }]));
  const room = { notices, home: { href: root, text } };
  router.use(pageErrors(deps.log, room));
  return router;
}

/** When an operation refuses the action, shows the page again with the refusal and the sent fields. */
const orShow =
  (work: Handler, show: Handler | undefined): Handler =>
  async (visit) => {
    try {
      return await work(visit);
    } catch (error) {
      if (!(show && error instanceof RefusalError)) throw error;
      const refused = { ...visit, refusal: error };
      visit.res.status(statusOf(error.code));
      return inVisit(refused, await show(refused));
    }
  };

/** Gives the visit to the components of the outcome. */
const inVisit = (visit: Bare | Visit, outcome: Outcome): Outcome =>
  typeof outcome === 'object' ? <VisitContext.Provider value={visit}>{outcome}</VisitContext.Provider> : outcome;

/** The session state that a page needs. `enrolment` allows a session that must still set up a second factor. */
type Stage = 'admitted' | 'enrolment' | 'code' | 'any';

function stageOf(session: Session, { requireSecondFactor }: ConsoleDeps): Stage {
  const { role, isAdmitted, hasSecondFactor, mustEnrol } = session;
  if (!isAdmitted) return 'code';
  if (mustEnrol) return 'enrolment';
  return role === 'operator' && requireSecondFactor && !hasSecondFactor ? 'enrolment' : 'admitted';
}

const admits = (needed: Stage, stage: Stage): boolean =>
  needed === 'any' || needed === stage || (needed === 'enrolment' && stage === 'admitted');

const pathOf: Readonly<Record<Stage, string>> = { admitted: '', enrolment: '/second-factor', code: '/code', any: '' };

type BareWork = (bare: Bare) => Promise<Outcome> | Outcome;

export interface Admission {
  /**
   * Serves a page to a session in the needed state. Any other session is redirected to the page that changes its state.
   */
  page(work: Handler, needed?: Stage, read?: FormReader, keep?: Route['keep']): RequestHandler;
  action(work: Handler, needed?: Stage, read?: FormReader, keep?: Route['keep']): RequestHandler;
  /** Serves people without a session. Each request counts against the budget of their IP address. */
  outside(work: BareWork): RequestHandler;
}

function admissionTo(place: Place, deps: ConsoleDeps): Admission {
  const { name } = sessionCookie(deps);
  const answered = (work: BareWork): RequestHandler => {
    return async (req, res) => {
      const visit = bareVisit(deps, place, req, res);
      const outcome = inVisit(visit, await work(visit));
      if (typeof outcome === 'string') res.redirect(303, outcome);
      else if (outcome) sendPage(res, outcome);
    };
  };

  const sessionOf = async ({ req, res }: Bare): Promise<Session | undefined> => {
    const secret = cookieOf(req, name);
    const session = secret === undefined ? undefined : await deps.sessions.read(secret);
    // A wrong secret counts as a failed sign-in of the IP address, so guessing is limited.
    if (secret !== undefined && !session) await deps.limits.countFailure(req, res);
    return session;
  };

  /** The page after sign-in: the page that was asked for, or the page with the typed texts. */
  const backOf = async (bare: Bare, read?: FormReader, keep?: Route['keep']): Promise<string> => {
    const { req, res, url } = bare;
    if (!read) return url.pathname + url.search;
    if (!keep) return place.home;
    demandSameSite(req);
    await runStep(deps.limits.publicByIp, req, res);
    return keep({ ...bare, form: await read(req, res) });
  };

  const page = (work: Handler, needed: Stage = 'admitted', read?: FormReader, keep?: Route['keep']) =>
    answered(async (bare) => {
      const session = await sessionOf(bare);
      if (!session) {
        const hadSession = cookieOf(bare.req, name) !== undefined;
        return (
          place.home + withBack('/sign-in', await backOf(bare, read, keep), place.home, hadSession ? ['ended'] : [])
        );
      }
      if (rootOf(session) !== place.home) return rootOf(session);
      const stage = stageOf(session, deps);
      if (!admits(needed, stage)) return place.home + pathOf[stage];
      if (read) demandSameSite(bare.req);
      const visit = signedIn(read ? { ...bare, form: await read(bare.req, bare.res) } : bare, session);
      if (read) demandFormToken(session, visit.form);
      return inVisit(visit, await work(visit));
    });

  const action: Admission['action'] = (work, needed, read = readForm, keep) => page(work, needed, read, keep);

  const outside = (work: BareWork) =>
    answered(async (bare) => {
      const { req, res } = bare;
      const isPost = req.method === 'POST';
      if (isPost) demandSameSite(req);
      await runStep(deps.limits.publicByIp, req, res);
      const visit = isPost ? { ...bare, form: await readForm(req, res) } : bare;
      return inPublicTurn(deps.limits.inFlight, req, async () => work(visit));
    });

  return { page, action, outside };
}
