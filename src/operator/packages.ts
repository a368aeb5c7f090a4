import { notFound } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import { renewTrackingLink, revokeTrackingLink } from '../orders/tracking-link.js';
import { listPackages, type PackageFilters } from '../packages/list-packages.js';
import type { Package, PackageStatus } from '../packages/package.js';
import { getPackage, type HistoryEntry, historyOf } from '../packages/queries.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';
import { toFacts } from './facts.js';

type PackageOperation = 'listPackages' | 'getPackage' | 'listMovements' | 'renewTrackingLink' | 'revokeTrackingLink';

export const packagesHandlers = ({
  db,
  readList,
  trackingLinks,
}: OperatorDeps): OperatorHandlers<PackageOperation> => ({
  listPackages: async ({ query, ctx }) => {
    const page = pageOf(query);
    const listed = await readList((lists) => listPackages(lists, ctx.actor, filtersOf(query), page));
    return { status: 200, body: listBody(listed, page, (each) => toTrackedPackage(each, trackingLinks)) };
  },

  getPackage: async ({ params, ctx }) => {
    const tracked = await getPackage(db, ctx.actor, params.loggi_key);
    if (!tracked) throw notFound('package');
    return { status: 200, body: toTrackedPackage(tracked, trackingLinks) };
  },

  listMovements: async ({ params, query }) => {
    const page = pageOf(query);
    const history = await readList((db) => historyOf(db, params.loggi_key, page));
    // A package begins with a movement: without one, there is no package.
    if (history.total === 0) throw notFound('package');
    return { status: 200, body: listBody(history, page, toMovement) };
  },

  renewTrackingLink:
    async ({ params, ctx }) =>
    async (trx) => {
      await renewTrackingLink(trx, params.loggi_key);
      const tracked = await getPackage(trx, ctx.actor, params.loggi_key);
      if (!tracked) throw notFound('package');
      return { status: 200, body: toTrackedPackage(tracked, trackingLinks) };
    },

  revokeTrackingLink: async ({ params, ctx }) => {
    if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
    return async (trx) => {
      await revokeTrackingLink(trx, params.loggi_key);
      return { status: 204 };
    };
  },
});

interface FilterQuery {
  user_id?: string;
  order_id?: string;
  status_code?: number;
  tracking_code?: string;
  barcode?: string;
}

const filtersOf = ({ user_id, order_id, status_code, tracking_code, barcode }: FilterQuery): PackageFilters => ({
  accountId: user_id,
  orderId: order_id,
  statusCode: status_code,
  trackingCode: tracking_code,
  barcode,
});

function toTrackedPackage(tracked: Package, links: TrackingLinks): Schemas['TrackedPackage'] {
  const trackingUrl = links.urlOf(tracked);
  return {
    loggi_key: tracked.loggiKey,
    user_id: tracked.accountId,
    order_id: tracked.orderId,
    tracking_code: tracked.trackingCode,
    barcode: tracked.barcode,
    recipient: tracked.recipient,
    address: tracked.address,
    status: toStatus(tracked.status),
    ...(tracked.location && { location: tracked.location }),
    promised_date: tracked.promisedDate,
    ...(trackingUrl !== undefined && { tracking_url: trackingUrl }),
    movement_count: tracked.seq,
    created_at: tracked.createdAt.toISOString(),
  };
}

const toStatus = (status: PackageStatus): Schemas['PackageStatus'] => ({
  code: status.code,
  high_level_status: status.name,
  description: status.description,
  ...toFacts(status),
  updated_at: status.since.toISOString(),
});

const toMovement = (entry: HistoryEntry): Schemas['Movement'] => ({
  id: entry.id,
  status_code: entry.statusCode,
  high_level_status: entry.statusName,
  happened_at: entry.happenedAt,
  recorded_at: entry.recordedAt,
  ...(entry.location && { location: entry.location }),
  ...toFacts(entry),
});
