import type { TrackingRecord } from '../packages/tracking.js';
import { toPayload } from './payload.js';

/** Bytes of a body at most (contracts/guides/behaviour.md#webhook). */
export const MAX_BODY_BYTES = 256 * 1024;

export interface Body {
  bytes: Buffer;
  /** How many of the records it tells of, from the first on. */
  count: number;
}

/**
 * The bytes that tell of as many of the records as fit, and of the first in any case: where its history alone is too
 * long, the oldest part of that is left out.
 */
export function bodyOf(records: readonly TrackingRecord[], limit = MAX_BODY_BYTES): Body {
  const bytes = encode(records);
  if (bytes.length <= limit) return { bytes, count: records.length };
  const [first] = records;
  if (first && records.length === 1) return { bytes: shortened(first, limit), count: 1 };
  const share = Math.floor((records.length * limit) / bytes.length);
  return bodyOf(records.slice(0, Math.max(1, Math.min(share, records.length - 1))), limit);
}

function shortened(record: TrackingRecord, limit: number): Buffer {
  let kept = record.trackingHistory;
  for (;;) {
    const bytes = encode([{ ...record, trackingHistory: kept }]);
    if (bytes.length <= limit || kept.length === 0) return bytes;
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * limit) / bytes.length)));
  }
}

const encode = (records: readonly TrackingRecord[]): Buffer => Buffer.from(JSON.stringify(toPayload(records)));
