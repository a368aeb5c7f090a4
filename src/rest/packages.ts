import type { Actor } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { shownColours } from '../base/colours.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import type { Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import type { ChangesFrom } from '../db/lists/changed-since.js';
import { etagHeader } from '../http/conditional.js';
import { changingReply } from '../http/paging.js';
import { visitsBefore, visitWindow } from '../orders/next-visit.js';
import { attemptsBody, deliveryAttemptBody, windowBody } from '../packages/attempts.js';
import { findPackages } from '../packages/find-packages.js';
import { listChangedPackages, listPackages, type PackageFilters, trackingCodesIn } from '../packages/list-packages.js';
import { agencyBody } from '../packages/movement.js';
import { type Package, statusBody } from '../packages/package.js';
import { type OwnTracking, type PublicEvent, type PublicTracking, trackPackage } from '../packages/public-tracking.js';
import { getTrackedPackageUnless, type TrackedPackage } from '../packages/queries.js';
import type { ShownBrand } from '../packages/recipient-details.js';
import type { CataloguedEvent } from '../packages/tracking.js';
import { TRACKING_PATH } from '../packages/tracking-links.js';
import type { Bodies, Filters, RestDeps, SomeHandlers } from './deps.js';
import { extrasFor, type ShownExtras, toPackage } from './orders.js';

export const packagesHandlers = (deps: RestDeps) =>
  ({
    listOwnPackages: ({ query, ctx }) => {
      const { links, pinOf } = extrasFor(deps, ctx.actor);
      const list = {
        list: (page: Page) => deps.readList((lists) => packagesBy(lists, ctx.actor, query, page)),
        changes: (from: ChangesFrom, size: number) =>
          deps.readList((lists) => listChangedPackages(lists, ctx.actor, from, size)),
      };
      return changingReply(query, list, (each) => toRecord(each, { trackingUrl: links.urlOf(each), pin: pinOf(each) }));
    },

    getOwnPackage: async ({ params, ctx }) => {
      const found = await getTrackedPackageUnless(deps.db, ctx.actor, params.loggi_key, ctx.knownVersion);
      if (!found) throw notFound('package');
      const { tracked } = found;
      if (!tracked) return { status: 304, headers: etagHeader(found) };
      const { links, pinOf } = extrasFor(deps, ctx.actor);
      const shown = toDetail(tracked, { trackingUrl: links.urlOf(tracked), pin: pinOf(tracked) });
      return { status: 200, body: shown, headers: etagHeader(found) };
    },

    // This operation needs no account: the link to a package's page is enough.
    trackPackage: async ({ params }) => {
      const tracking = await trackPackage(deps.db, deps, params.token);
      if (!tracking) throw notFound('package');
      return {
        status: 200,
        body: toPublic(tracking, params.token, deps.clock()),
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  }) satisfies SomeHandlers;

async function packagesBy(db: Db, actor: Actor, query: Filters<'listOwnPackages'>, page: Page) {
  const { search, ...others } = query;
  const filters = toFilters(others);
  const found = search === undefined ? undefined : await findPackages(db, actor, search, filters);
  return listPackages(db, actor, { ...filters, loggiKeys: found?.map(({ loggiKey }) => loggiKey) }, page);
}

function toFilters(query: Omit<Filters<'listOwnPackages'>, 'search'>): PackageFilters {
  const { status_code, order_id, external_id, tracking_code, barcode, created_from, created_to, ...rest } = query;
  const { attempt_outcome, updated_from: _, cursor: __, tracking_codes, reference, ...others } = rest;
  others satisfies NoKey;
  return {
    statusCode: status_code,
    orderId: order_id,
    externalId: external_id,
    trackingCode: tracking_code,
    trackingCodes: trackingCodesIn(tracking_codes),
    barcode,
    reference,
    attemptOutcome: attempt_outcome,
    createdFrom: toTime(created_from),
    createdTo: toTime(created_to),
  };
}

const toRecord = (record: Package, extras: ShownExtras): Bodies['PackageRecord'] => ({
  user_id: record.accountId,
  order_id: record.orderId,
  location: record.location ?? undefined,
  movement_count: record.seq,
  created_at: record.createdAt.toISOString(),
  ...toPackage(record, extras),
});

const toDetail = (tracked: TrackedPackage, extras: ShownExtras): Bodies['PackageDetail'] => ({
  tracking_history: tracked.trackingHistory.map(toEvent),
  ...toRecord({ ...tracked, location: tracked.lastSeen }, extras),
});

function toEvent({ status, location, attempt }: CataloguedEvent): Bodies['TrackingEvent'] {
  const { highLevelStatus: name, public_title: title, updatedTime, pickupAgency = null } = status;
  const shown = statusBody({ ...status, name, title, since: new Date(updatedTime), pickupAgency });
  return { status: shown, location: location ?? undefined, attempt: attempt && deliveryAttemptBody(attempt) };
}

const toPublic = (tracking: PublicTracking, token: string, now: Date): Bodies['PublicTracking'] => ({
  tracking_code: tracking.trackingCode,
  sender_name: tracking.own?.senderName ?? undefined,
  recipient_initials: tracking.own?.recipientInitials ?? undefined,
  stage: tracking.stage,
  destination: tracking.destination,
  promised_date: tracking.promisedDate,
  deliver_from: tracking.deliverFrom ?? undefined,
  ...adviceBody(tracking.own),
  ...visitBody(tracking, now),
  pin_asked: tracking.own?.asksForPin || undefined,
  received_by: tracking.own?.receivedBy ?? undefined,
  photo_path: tracking.own?.hasPhoto ? `${TRACKING_PATH}${token}/photo` : undefined,
  support_contact: tracking.own?.supportContact ?? undefined,
  branding: tracking.own?.brand ? brandBody(tracking.own.brand, token) : undefined,
  history: tracking.history.map(toPublicStatus),
});

function brandBody({ color, hasLogo }: ShownBrand, token: string): Bodies['PublicTracking']['branding'] {
  const shown = color === null ? undefined : shownColours(color);
  return {
    light_color: shown?.light,
    dark_color: shown?.dark,
    logo_path: hasLogo ? `${TRACKING_PATH}${token}/logo` : undefined,
  };
}

function visitBody(
  { own, destination }: PublicTracking,
  now: Date,
): Pick<Bodies['PublicTracking'], 'delivery_window' | 'attempts'> {
  const window = own ? visitWindow(own, destination, now) : undefined;
  const attempts = own ? visitsBefore(own, destination, now) : undefined;
  return { delivery_window: window && windowBody(window), attempts: attempts && attemptsBody(attempts) };
}

const adviceBody = (own: OwnTracking | null): Pick<Bodies['PublicTracking'], 'action_required' | 'pickup_agency'> => ({
  action_required: own?.reasonLabel ? { reason_label: own.reasonLabel } : undefined,
  pickup_agency: own?.pickupAgency ? agencyBody(own.pickupAgency) : undefined,
});

const toPublicStatus = ({
  code,
  name,
  title,
  description,
  happenedAt,
  location,
}: PublicEvent): Bodies['PublicTrackingStatus'] => ({
  code,
  high_level_status: name,
  public_title: title ?? undefined,
  description,
  happened_at: happenedAt.toISOString(),
  location: location ?? undefined,
});
