import { notFound } from '../base/errors.js';
import { type PublicEvent, type PublicTracking, trackPackage } from '../packages/public-tracking.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';

/** What needs no token of an account: the link to a package's page is enough. */
export const trackingHandlers = ({ db, trackingLinks }: RestDeps): RestHandlers<'trackPackage'> => ({
  trackPackage: async ({ params }) => {
    const tracking = await trackPackage(db, trackingLinks, params.token);
    if (!tracking) throw notFound('package');
    return { status: 200, body: toBody(tracking), headers: { 'Cache-Control': 'no-store' } };
  },
});

function toBody(tracking: PublicTracking): Schemas['PublicTracking'] {
  const { senderName, recipientInitials, reasonLabel, pickupAgency } = tracking;
  const body: Schemas['PublicTracking'] = {
    tracking_code: tracking.trackingCode,
    stage: tracking.stage,
    destination: tracking.destination,
    promised_date: tracking.promisedDate,
    history: tracking.history.map(toEvent),
  };
  if (senderName !== null) body.sender_name = senderName;
  if (recipientInitials !== null) body.recipient_initials = recipientInitials;
  if (reasonLabel !== null) body.action_required = { reason_label: reasonLabel };
  if (pickupAgency) {
    const { postalCode: postal_code, ...agency } = pickupAgency;
    body.pickup_agency = { ...agency, postal_code };
  }
  return body;
}

function toEvent({ code, name, description, happenedAt, location }: PublicEvent): Schemas['PublicTrackingStatus'] {
  const event = { code, high_level_status: name, description, happened_at: happenedAt.toISOString() };
  return location ? { ...event, location } : event;
}
