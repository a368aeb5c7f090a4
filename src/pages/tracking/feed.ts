import type { Request, Response } from 'express';
import { notFound, rateLimited, unavailable } from '../../base/errors.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Db } from '../../db/connect.js';
import type { Bulkhead } from '../../http/bulkhead.js';
import { byIp, bySite } from '../../http/limits/networks.js';
import { noteAnswered } from '../../http/server/request-log.js';
import { trackingStates } from '../../packages/public-tracking.js';
import type { TrackingLink } from '../../packages/tracking-links.js';

/**
 * Tells open pages by server-sent events that their package has moved. One query serves all pages of a process. A page
 * reloads itself when it is told of a change.
 */
export interface TrackingFeed {
  /**
   * Keeps the answer open. Sends `data:` with the number of the package's movements, at once and after each change, or
   * `gone` when the link has ended. If the process is full, it closes the oldest page of the network with most pages.
   * The first query waits for the turn of the client's network (`inTurn`). Throws NOT_FOUND for a bad link,
   * RATE_LIMITED and UNAVAILABLE for too many pages.
   */
  open(req: Request, res: Response, link: TrackingLink, inTurn?: InTurn): Promise<void>;
  /** Ends all answers. The browsers then connect again, here or to another process. */
  stop(): void;
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

interface FeedOptions {
  db: Db;
  log: Logger;
  bulkhead: Bulkhead;
  /** Receives the number of open pages after each change. */
  watcher: (pages: number) => void;
  /** Maximum number of open pages. */
  max?: number;
}

interface OpenPage {
  readonly res: Response;
  readonly link: TrackingLink;
  readonly address: string;
  readonly site: string;
  readonly openedAt: number;
  /** The last event that was sent. Undefined until the answer has begun. */
  told?: string;
}

/** Maximum number of open pages per IPv4 address or IPv6 /64, which usually belongs to one customer. */
const MAX_OF_ADDRESS = 20;
/** Maximum number of open pages per IPv6 /48, which one subscriber may have. */
const MAX_OF_SITE = 200;

const LOOK_MS = 2_000;
/** A sign of life is sent after this many looks: proxies end connections that are silent for about a minute. */
const LOOKS_PER_BEAT = 10;
/** Maximum life of a connection. The browser then connects again, maybe to a less busy process. */
const MAX_MS = 900_000;
const RETRY_MS = 5_000;

export function createTrackingFeed(options: FeedOptions): TrackingFeed {
  const { db, log, bulkhead, watcher, max = 1_000 } = options;
  const pages = new Set<OpenPage>();
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let isStopped = false;
  let isFailing = false;

  async function look(): Promise<void> {
    const open = [...pages].filter(({ told }) => told !== undefined);
    looks += 1;
    for (const page of open) keepUp(page, looks % LOOKS_PER_BEAT === 0);
    const states = await trackingStates(
      db,
      open.map(({ link }) => link),
    );
    for (const [at, page] of open.entries()) tell(page, states[at]);
  }

  function lookLater(): void {
    if (isStopped || pages.size === 0) return;
    timer ??= setTimeout(async () => {
      // Requests report trouble of the database, too, so one log line per trouble is enough here.
      const failure = await look().catch((err: unknown) => ({ err }));
      if (failure && !isFailing) log.warn(failure, 'tracking.feed_failed');
      isFailing = failure !== undefined;
      timer = undefined;
      lookLater();
    }, LOOK_MS);
  }

  function forget(page: OpenPage): void {
    if (pages.delete(page)) watcher(pages.size);
  }

  function close(page: OpenPage): void {
    forget(page);
    page.res.end();
  }

  return {
    open: async (req, res, link, inTurn = (work) => work()) => {
      const page: OpenPage = { res, link, address: byIp(req), site: bySite(req), openedAt: performance.now() };
      if (isStopped) throw unavailable(undefined, 60);
      demandFew(pages, page);
      if (pages.size >= max) close(oldestOfBusiest(pages, page));
      pages.add(page);
      watcher(pages.size);
      res.once('close', () => forget(page));
      const firstLook = () => trackingStates(db, [link]);
      const [state] = await inTurn(() => bulkhead.run('watchPackage', undefined, firstLook));
      if (state === undefined) throw notFound('package');
      if (req.method === 'HEAD') return void res.end();
      begin(req, res);
      tell(page, state);
      lookLater();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      for (const { res, told } of pages) if (told !== undefined) res.end();
    },
  };
}

function demandFew(pages: Iterable<OpenPage>, { address, site }: OpenPage): void {
  let [ofAddress, ofSite] = [0, 0];
  for (const page of pages) {
    if (page.address === address) ofAddress += 1;
    if (page.site === site) ofSite += 1;
  }
  const isFull = ofAddress >= MAX_OF_ADDRESS || ofSite >= MAX_OF_SITE;
  if (isFull) throw rateLimited('requests_in_flight', 'Too many pages of this address are open.', { retryAfter: 60 });
}

/**
 * The oldest page of the network with most pages. Throws UNAVAILABLE if the newcomer's network would then have just as
 * many. Otherwise two networks would close each other's pages again and again.
 */
function oldestOfBusiest(pages: Iterable<OpenPage>, newcomer: OpenPage): OpenPage {
  const bySite = new Map<string, OpenPage[]>();
  for (const page of pages) bySite.set(page.site, [...(bySite.get(page.site) ?? []), page]);
  const busiest = [...bySite.values()].reduce((max, each) => (each.length > max.length ? each : max), []);
  const own = bySite.get(newcomer.site)?.length ?? 0;
  const [oldest] = busiest;
  if (!oldest || busiest.length <= own + 1) throw unavailable(undefined, 60);
  return oldest;
}

function begin(req: Request, res: Response): void {
  noteAnswered(req);
  // A proxy must not store or hold back the events.
  res.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.write(`retry: ${RETRY_MS}\n\n`);
}

function tell(page: OpenPage, state: number | undefined): void {
  const text = state === undefined ? 'gone' : String(state);
  if (page.res.writableEnded || page.told === text) return;
  page.told = text;
  page.res.write(`data: ${text}\n\n`);
  if (state === undefined) page.res.end();
}

function keepUp({ res, openedAt }: OpenPage, isBeat: boolean): void {
  if (performance.now() - openedAt > MAX_MS) res.end();
  else if (isBeat) res.write(':\n\n');
}
