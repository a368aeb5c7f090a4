import type { operations } from '../../generated/rest.js';
import { wholeMillisecond } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { etagHeader } from '../http/conditional.js';
import { listBody, pageOf } from '../http/paging.js';
import { listPackages, type PackageFilters } from '../packages/list-packages.js';
import type { Package } from '../packages/package.js';
import { getTrackedPackageUnless, type TrackedPackage } from '../packages/queries.js';
import type { TrackingEvent } from '../packages/tracking.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';
import { extrasFor, type ShownExtras, toPackage, toStatus } from './orders.js';

type PackageOperation = 'listOwnPackages' | 'getOwnPackage';

export const packagesHandlers = (deps: RestDeps): RestHandlers<PackageOperation> => ({
  listOwnPackages: async ({ query, ctx }) => {
    const page = pageOf(query);
    const packages = await deps.readList((lists) => listPackages(lists, ctx.actor, toFilters(query), page));
    const { links, pinOf } = extrasFor(deps, ctx.actor);
    const urls = links.urlsOf(packages.rows);
    const toShown = (each: Package, at: number) => toRecord(each, { trackingUrl: urls[at], pin: pinOf(each) });
    return { status: 200, body: listBody(packages, page, toShown) };
  },

  getOwnPackage: async ({ params, ctx }) => {
    const tracked = await getTrackedPackageUnless(deps.db, ctx.actor, params.loggi_key, ctx.knownVersion);
    if (!tracked) throw notFound('package');
    if ('isUnchanged' in tracked) return { status: 304, headers: etagHeader(tracked) };
    const { links, pinOf } = extrasFor(deps, ctx.actor);
    const shown = toDetail(tracked, { trackingUrl: links.urlOf(tracked), pin: pinOf(tracked) });
    return { status: 200, body: shown, headers: etagHeader(tracked) };
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

function toRecord(record: Package, extras: ShownExtras): Schemas['PackageRecord'] {
  const body: Schemas['PackageRecord'] = {
    user_id: record.accountId,
    order_id: record.orderId,
    movement_count: record.seq,
    created_at: record.createdAt.toISOString(),
    ...toPackage(record, extras),
  };
  if (record.location) body.location = record.location;
  return body;
}

const toDetail = (
  { trackingHistory, lastSeen, ...record }: TrackedPackage,
  extras: ShownExtras,
): Schemas['PackageDetail'] => ({
  tracking_history: trackingHistory.map(toEvent),
  ...toRecord({ ...record, location: lastSeen }, extras),
});

function toEvent({ status, location }: TrackingEvent): Schemas['TrackingEvent'] {
  const { code, highLevelStatus: name, description, updatedTime, actionRequired, pickupAgency = null } = status;
  const shown = toStatus({ code, name, description, since: new Date(updatedTime), actionRequired, pickupAgency });
  return location ? { status: shown, location } : { status: shown };
}
