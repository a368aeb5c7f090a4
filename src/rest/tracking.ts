import { notFound } from '../base/errors.js';
import { type PublicEvent, type PublicTracking, trackPackage } from '../packages/public-tracking.js';
import type { Bodies, RestDeps, SomeHandlers } from './deps.js';
import { toPickupAgency } from './orders.js';

/** Handlers that need no token of an account: the link to a package's page is enough. */
export const trackingHandlers = ({ db, trackingLinks }: RestDeps) =>
  ({
    trackPackage: async ({ params }) => {
      const tracking = await trackPackage(db, trackingLinks, params.token);
      if (!tracking) throw notFound('package');
      return { status: 200, body: toBody(tracking), headers: { 'Cache-Control': 'no-store' } };
    },
  }) satisfies SomeHandlers;

const toBody = (tracking: PublicTracking): Bodies['PublicTracking'] => ({
  tracking_code: tracking.trackingCode,
  sender_name: tracking.senderName ?? undefined,
  recipient_initials: tracking.recipientInitials ?? undefined,
  stage: tracking.stage,
  destination: tracking.destination,
  promised_date: tracking.promisedDate,
  action_required: tracking.reasonLabel === null ? undefined : { reason_label: tracking.reasonLabel },
  pickup_agency: tracking.pickupAgency ? toPickupAgency(tracking.pickupAgency) : undefined,
  history: tracking.history.map(toEvent),
});

const toEvent = ({ code, name, description, happenedAt, location }: PublicEvent): Bodies['PublicTrackingStatus'] => ({
  code,
  high_level_status: name,
  description,
  happened_at: happenedAt.toISOString(),
  location: location ?? undefined,
});
