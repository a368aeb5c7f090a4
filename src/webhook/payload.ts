import type {
  TrackingEvent as PayloadEvent,
  TrackedPackage,
  TrackingPayload,
  TrackingStatus,
} from '../../generated/tracking-webhook.js';
import type { StatusRecord, TrackingEvent, TrackingRecord } from '../packages/tracking.js';

/** The body's content (contracts/tracking-webhook.schema.json), packages in the order of the records. */
export function toPayload(records: readonly TrackingRecord[]): TrackingPayload {
  return { packages: records.map(toTrackedPackage) };
}

function toTrackedPackage(record: TrackingRecord): TrackedPackage {
  const { loggiKey, trackingCode, barcode, status, location, promisedDate, requestTime, trackingHistory } = record;
  // A package has a place from its first movement on, the pickup.
  if (!location) throw new Error(`package ${loggiKey} has no location`);
  return {
    loggiKey,
    trackingCode,
    barcode,
    status: toStatus(status),
    location: { city: location.city, state: location.state },
    promisedDate,
    requestTime,
    trackingHistory: trackingHistory.map(toEvent),
  };
}

function toEvent({ status: told, location }: TrackingEvent): PayloadEvent {
  const status = toStatus(told);
  return location ? { status, location: { city: location.city, state: location.state } } : { status };
}

function toStatus(record: StatusRecord): TrackingStatus {
  const { code, highLevelStatus, description, actionRequired: action, updatedTime, pickupAgency } = record;
  const actionRequired = action && {
    reasonDescription: action.reasonDescription,
    reasonLabel: action.reasonLabel,
  };
  const status = { code, highLevelStatus, description, actionRequired, updatedTime };
  if (!pickupAgency) return status;
  const { address, city, state, postalCode } = pickupAgency;
  return { ...status, pickupAgency: { address, city, state, postalCode } };
}
