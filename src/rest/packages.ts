import type { operations } from '../../generated/rest.js';
import { wholeMillisecond } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { etagHeader } from '../http/conditional.js';
import { listBody, pageOf } from '../http/paging.js';
import { listPackages, type PackageFilters } from '../packages/list-packages.js';
import type { Package } from '../packages/package.js';
import { getTrackedPackageUnless, type TrackedPackage } from '../packages/tracked-package.js';
import type { TrackingEvent } from '../packages/tracking.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';
import { toPackage, toStatus } from './orders.js';

type PackageOperation = 'listOwnPackages' | 'getOwnPackage';

export const packagesHandlers = ({ db, readList, trackingLinks }: RestDeps): RestHandlers<PackageOperation> => ({
  listOwnPackages: async ({ query, ctx }) => {
    const page = pageOf(query);
    const packages = await readList((lists) => listPackages(lists, ctx.actor, toFilters(query), page));
    const urls = trackingLinks.urlsOf(packages.rows);
    return { status: 200, body: listBody(packages, page, (each, at) => toRecord(each, urls[at])) };
  },

  getOwnPackage: async ({ params, ctx }) => {
    const tracked = await getTrackedPackageUnless(db, ctx.actor, params.loggi_key, ctx.knownVersion);
    if (!tracked) throw notFound('package');
    if ('isUnchanged' in tracked) return { status: 304, headers: etagHeader(tracked) };
    return { status: 200, body: toDetail(tracked, trackingLinks.urlOf(tracked)), headers: etagHeader(tracked) };
  },
});

type ListQuery = NonNullable<operations['listOwnPackages']['parameters']['query']>;

const toFilters = (query: ListQuery): PackageFilters => ({
  statusCode: query.status_code,
  orderId: query.order_id,
  externalId: query.external_id,
  trackingCode: query.tracking_code,
  barcode: query.barcode,
  createdFrom: toTime(query.created_from),
  createdTo: toTime(query.created_to),
});

const toTime = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : wholeMillisecond(text);

function toRecord(record: Package, trackingUrl: string | undefined): Schemas['PackageRecord'] {
  const body: Schemas['PackageRecord'] = {
    user_id: record.accountId,
    order_id: record.orderId,
    movement_count: record.seq,
    created_at: record.createdAt.toISOString(),
    ...toPackage(record, trackingUrl),
  };
  if (record.location) body.location = record.location;
  return body;
}

const toDetail = (
  { trackingHistory, lastSeen, ...record }: TrackedPackage,
  trackingUrl: string | undefined,
): Schemas['PackageDetail'] => ({
  tracking_history: trackingHistory.map(toEvent),
  ...toRecord({ ...record, location: lastSeen }, trackingUrl),
});

function toEvent({ status, location }: TrackingEvent): Schemas['TrackingEvent'] {
  const { code, highLevelStatus: name, description, updatedTime, actionRequired, pickupAgency = null } = status;
  const shown = toStatus({ code, name, description, since: new Date(updatedTime), actionRequired, pickupAgency });
  return location ? { status: shown, location } : { status: shown };
}
