import { type Bulkhead, createBulkhead } from '../http/bulkhead.js';
import { createPlacing, type Placing } from '../orders/place-order.js';
import { createRecording, type Recording } from '../orders/record-together.js';
import { createCodeSource } from '../packages/codes.js';
import { createTrackingLinks, type TrackingLinks } from '../packages/tracking-links.js';
import type { Context } from './context.js';
import type { Database } from './database.js';

export interface Orders {
  placing: Placing;
  recording: Recording;
  bulkhead: Bulkhead;
  trackingLinks: TrackingLinks;
}

/** The queues in which requests of a process write orders and movements together. */
export function start({ config, keys, log, metrics, tracer }: Context, { db }: Database): Orders {
  const { databaseConnectTimeoutMs: waitMs, databasePoolSize: connections, publicUrl } = config;
  const codes = createCodeSource(keys.codeKeys);
  const { placing, recording } = metrics;
  return {
    placing: createPlacing({ db, codes, keys: keys.encryptionKeys, waitMs, watcher: placing, tracer }),
    recording: createRecording({ db, waitMs, watcher: recording, tracer }),
    bulkhead: createBulkhead({ connections, waitMs, log }),
    trackingLinks: createTrackingLinks(publicUrl, keys.codeKeys),
  };
}
