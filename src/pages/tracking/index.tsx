import { type ErrorRequestHandler, type Request, Router } from 'express';
import { notFound, ServiceError } from '../../base/errors.js';
import { inPublicTurn } from '../../http/limits/in-flight.js';
import { noteOperation } from '../../http/server/request-log.js';
import { type TrackingReader, trackedLogo, trackedPhoto, trackPackage } from '../../packages/public-tracking.js';
import { TRACKING_PATH, type TrackingLinks } from '../../packages/tracking-links.js';
import { pageErrors } from '../errors.js';
import { allowTiles, sendPage } from '../page.js';
import { languageOf, trackingTexts as texts } from '../texts.js';
import type { ConsoleDeps } from '../visit.js';
import { themeOf } from './brand.js';
import type { TrackingFeed } from './feed.js';
import { type LookUpDeps, LookUpPage, lookUpRouter } from './look-up.js';
import { TrackingPage } from './view.js';

type PlaceDeps = Pick<ConsoleDeps, 'clock' | 'mapTilesUrl' | 'publicUrl'>;

export interface TrackingPageDeps extends LookUpDeps, TrackingReader, PlaceDeps {
  trackingLinks: TrackingLinks;
  trackingFeed: TrackingFeed;
}

/** A token with punctuation after it. Mail programs and chats take the punctuation around a link for a part of it. */
const SENTENCE_END = /^([A-Za-z0-9_-]+)[.,;:!?)\]}>"'*\u2019\u201d\u00bb]+$/;

const COLOUR_FILE = /^([0-9a-f]{6})\.css$/;

/** Serves the page of a package: `GET /t/<token>`. `/t/<token>/events` tells the open page of changes. */
export function trackingRouter(deps: TrackingPageDeps): Router {
  const { db, log, clock, trackingLinks, limits, bulkhead, trackingFeed, mapTilesUrl: tiles } = deps;
  const inTurn = <T,>(req: Request, work: () => Promise<T>) => inPublicTurn(limits.inFlight, req, work);
  const router = Router({ caseSensitive: true, strict: true });
  router.use((req, res, next) => {
    noteOperation(req, 'pages', 'trackPackage');
    res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
    next();
  });
  const picture = `${deps.publicUrl}/assets/icon.png`;
  router.get('/:token', limits.trackingByIp, async (req: Request<{ token: string }>, res) => {
    const read = () => trackPackage(db, deps, req.params.token);
    const tracking = await inTurn(req, () => bulkhead.run('trackPackage', undefined, read));
    const [, token] = SENTENCE_END.exec(req.params.token) ?? [];
    if (!tracking && token !== undefined) return res.redirect(302, `${TRACKING_PATH}${token}`);
    if (!tracking) throw notFound('package');
    if (tiles) allowTiles(res, tiles);
    const page = { tracking, picture, token: req.params.token, language: languageOf(req), now: clock(), tiles };
    sendPage(res, <TrackingPage {...page} />);
  });
  const pictures = { photo: ['getTrackedPhoto', trackedPhoto], logo: ['getTrackedLogo', trackedLogo] } as const;
  for (const [name, [operation, readPicture]] of Object.entries(pictures)) {
    router.get(`/:token/${name}`, limits.trackingByIp, async (req: Request<{ token: string }>, res) => {
      noteOperation(req, 'pages', operation);
      const read = () => readPicture(db, deps, req.params.token);
      const picture = await inTurn(req, () => bulkhead.run(operation, undefined, read));
      if (!picture) throw notFound('picture');
      res.set('X-Content-Type-Options', 'nosniff').type(picture.type).send(picture.bytes);
    });
  }
  // The colours need a style sheet of their own, because the page's security policy forbids inline styles.
  router.get('/colors/:file', (req: Request<{ file: string }>, res) => {
    const [, digits] = COLOUR_FILE.exec(req.params.file) ?? [];
    if (digits === undefined) throw notFound('page');
    res.set({ 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' });
    res.type('css').send(themeOf(`#${digits}`));
  });
  router.get('/:token/events', limits.trackingByIp, async (req: Request<{ token: string }>, res) => {
    noteOperation(req, 'pages', 'watchPackage');
    const link = trackingLinks.read(req.params.token);
    if (!link) throw notFound('package');
    await trackingFeed.open(req, res, link, (work) => inTurn(req, work));
  });
  router.use(() => {
    throw notFound('page');
  });
  router.use(((error, req, res, next) => {
    if (!(error instanceof ServiceError && error.code === 'NOT_FOUND') || res.headersSent) return next(error);
    const problem = { title: texts.badLink, text: texts.badLinkText };
    sendPage(res, <LookUpPage language={languageOf(req)} problem={problem} />, { status: 404 });
  }) satisfies ErrorRequestHandler);
  router.use(pageErrors(log));
  return Router({ caseSensitive: true }).use(TRACKING_PATH.slice(0, -1), router).use(lookUpRouter(deps));
}
