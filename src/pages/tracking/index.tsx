import { type Request, Router } from 'express';
import type { Clock } from '../../base/clock.js';
import { notFound } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Db } from '../../db/connect.js';
import type { Bulkhead } from '../../http/bulkhead.js';
import type { Limits } from '../../http/limits/rate-limit.js';
import { noteOperation } from '../../http/server/request-log.js';
import { trackPackage } from '../../packages/public-tracking.js';
import { TRACKING_PATH, type TrackingLinks } from '../../packages/tracking-links.js';
import { pageErrors } from '../errors.js';
import { languageOf } from '../language.js';
import { sendPage } from '../page.js';
import { trackingTexts } from '../texts.js';
import type { TrackingFeed } from './feed.js';
import { TrackingPage } from './view.js';

export interface TrackingPageDeps {
  db: Db;
  log: Logger;
  clock: Clock;
  trackingLinks: TrackingLinks;
  limits: Pick<Limits, 'trackingByIp'>;
  bulkhead: Bulkhead;
  trackingFeed: TrackingFeed;
  /** Address of a map's tiles, for a page with a map. */
  mapTilesUrl?: string | undefined;
}

/** `GET /t/<token>`: a package for the person who waits for it; `/t/<token>/events` tells the open page of changes. */
export function trackingRouter(deps: TrackingPageDeps): Router {
  const { db, log, clock, trackingLinks, limits, bulkhead, trackingFeed, mapTilesUrl: tiles } = deps;
  const router = Router({ caseSensitive: true, strict: true });
  router.use((req, res, next) => {
    noteOperation(req, 'pages', 'trackPackage');
    res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
    next();
  });
  router.get('/:token', limits.trackingByIp, async (req: Request<{ token: string }>, res) => {
    const read = () => trackPackage(db, trackingLinks, req.params.token);
    const tracking = await bulkhead.run('trackPackage', undefined, read);
    if (!tracking) throw notFound('package');
    sendPage(res, <TrackingPage {...{ tracking, tiles }} language={languageOf(req)} now={clock()} />, { tiles });
  });
  router.get('/:token/events', limits.trackingByIp, async (req: Request<{ token: string }>, res) => {
    noteOperation(req, 'pages', 'watchPackage');
    const link = trackingLinks.read(req.params.token);
    if (!link) throw notFound('package');
    await trackingFeed.open(req, res, link);
  });
  router.use(() => {
    throw notFound('page');
  });
  router.use(
    pageErrors(log, { notices: { NOT_FOUND: { title: trackingTexts.badLink, text: trackingTexts.badLinkText } } }),
  );
  return Router({ caseSensitive: true }).use(TRACKING_PATH.slice(0, -1), router);
}
