import type {
  TrackingEvent as PayloadEvent,
  TrackedPackage,
  TrackingPayload,
  TrackingStatus,
} from '../../generated/tracking-webhook.js';
import type { StatusRecord, TrackingEvent, TrackingRecord } from '../packages/tracking.js';

/** Maximum size of a body in bytes (contracts/guides/behaviour.md#webhook). */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Makes the body of a delivery. It holds as many records as fit, at least one. A history that is too long loses its
 * oldest part.
 */
export function bodyOf(records: readonly TrackingRecord[], limit = MAX_BODY_BYTES): { bytes: Buffer; count: number } {
  const bytes = encode(records);
  if (bytes.length <= limit) return { bytes, count: records.length };
  const [first] = records;
  if (first && records.length === 1) return { bytes: shortened(first, limit), count: 1 };
  const share = Math.floor((records.length * limit) / bytes.length);
  return bodyOf(records.slice(0, Math.max(1, Math.min(share, records.length - 1))), limit);
}

function shortened(record: TrackingRecord, limit: number): Buffer {
  let history = record.trackingHistory;
  for (;;) {
    const bytes = encode([{ ...record, trackingHistory: history }]);
    if (bytes.length <= limit || history.length === 0) return bytes;
    history = history.slice(0, Math.min(history.length - 1, Math.floor((history.length * limit) / bytes.length)));
  }
}

/** Writes the payload of contracts/tracking-webhook.schema.json. The packages have the order of the records. */
function encode(records: readonly TrackingRecord[]): Buffer {
  const payload: TrackingPayload = { packages: records.map(toTrackedPackage) };
  return Buffer.from(JSON.stringify(payload));
}

function toTrackedPackage(record: TrackingRecord): TrackedPackage {
  const { loggiKey, trackingCode, barcode, status, location, promisedDate, requestTime, trackingHistory } = record;
  // A package has a location since its first movement, the pickup.
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

function toEvent({ status: record, location }: TrackingEvent): PayloadEvent {
  const status = toStatus(record);
  return location ? { status, location: { city: location.city, state: location.state } } : { status };
}

function toStatus(record: StatusRecord): TrackingStatus {
  const { code, highLevelStatus, description, actionRequired: action, updatedTime, pickupAgency } = record;
  const actionRequired = action && { reasonDescription: action.reasonDescription, reasonLabel: action.reasonLabel };
  const status = { code, highLevelStatus, description, actionRequired, updatedTime };
  if (!pickupAgency) return status;
  const { address, city, state, postalCode } = pickupAgency;
  return { ...status, pickupAgency: { address, city, state, postalCode } };
}

/** Makes the body of a test, with a sample package that does not exist. */
export function sampleBody(now: Date): Buffer {
  const time = now.toISOString().replace('Z', '000Z');
  const added = { code: 1, highLevelStatus: 'Adicionado', description: 'Etiqueta criada, pronta para coleta.' };
  const moving = { code: 3, highLevelStatus: 'Em processamento', description: 'Coletado, em processamento.' };
  const location = { city: 'São Paulo', state: 'SP' };
  const record: TrackingRecord = {
    loggiKey: '00000000-0000-7000-8000-000000000000',
    seq: 2,
    trackingCode: '000000000000',
    barcode: '000000000000000000',
    promisedDate: time.slice(0, 10),
    requestTime: time,
    status: { ...moving, actionRequired: null, updatedTime: time },
    location,
    trackingHistory: [{ status: { ...added, actionRequired: null, updatedTime: time }, location }],
  };
  return encode([record]);
}
