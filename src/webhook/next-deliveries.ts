import { newId } from '../base/ids.js';
import type { Logger } from '../base/telemetry/log.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { type TrackingRecord, trackingRecords } from '../packages/tracking.js';
import type { Claim } from '../queue/claim.js';
import type { Floors } from '../queue/floors.js';
import {
  carryOperatorRequest,
  freezeDeliveries,
  type NewDelivery,
  nextNotifications,
  type OperatorRequest,
  oldestOperatorRequests,
  type WaitingNotification,
} from '../queue/freeze.js';
import { releaseLanes, stillLeased } from '../queue/lanes.js';
import type { SendKind } from '../queue/schedule.js';
import { bodyOf, sampleBody } from './body.js';
import type { Blame } from './troubles.js';

export interface ClaimedDelivery {
  claim: Claim;
  kind: SendKind;
  webhookId: string;
  body: Buffer;
  attemptsBefore: number;
  traceparents: readonly TraceParent[];
}

interface Deps {
  db: Db;
  floors: Floors;
  log: Logger;
  /** Decides whether this process is to blame for a failure. Without it, the lane is. */
  blame?: Blame;
}

/** Returns the delivery of each lane, and freezes one for a lane without. Lanes with nothing to send are left out. */
export async function nextDeliveries(deps: Deps, claims: readonly Claim[]): Promise<ClaimedDelivery[]> {
  const bare = claims.filter(({ delivery }) => !delivery);
  const requestClaims = bare.filter(({ isRequestLane }) => isRequestLane);
  const trackingClaims = bare.filter(({ isRequestLane }) => !isRequestLane);
  const startedAt = performance.now();
  const failures: Failure[] = [];
  const newDeliveries = [
    ...(await isolated(deps, freezeNotifications, trackingClaims, failures)),
    ...(await isolated(deps, freezeOperatorRequests, requestClaims, failures)),
  ];
  if (newDeliveries.length > 0) deps.blame?.made(startedAt);
  await postpone(deps, failures, newDeliveries.length > 0);
  const carrying = claims.filter(({ delivery }) => delivery);
  return [...(await stillLeased(deps.db, carrying)).flatMap(toClaimedDelivery), ...newDeliveries];
}

function toClaimedDelivery(claim: Claim): ClaimedDelivery[] {
  if (!claim.delivery) return [];
  const { kind, ...delivery } = claim.delivery;
  return [{ claim, kind: kind === 'test' ? kind : claim.isRequestLane ? 'replay' : 'delivery', ...delivery }];
}

type Freeze = (deps: Deps, claims: readonly Claim[]) => Promise<ClaimedDelivery[]>;

interface Failure {
  claim: Claim;
  err: unknown;
}

/**
 * Freezes for all claims together. After an error it tries each claim alone, so that a failure concerns only its own
 * lane.
 */
async function isolated(deps: Deps, freeze: Freeze, claims: readonly Claim[], failures: Failure[]) {
  const [first, ...others] = claims;
  const deliveries: ClaimedDelivery[] = [];
  if (!first) return deliveries;
  try {
    return await freeze(deps, claims);
  } catch (err) {
    if (others.length === 0) failures.push({ claim: first, err });
    else for (const claim of claims) deliveries.push(...(await isolated(deps, freeze, [claim], failures)));
    return deliveries;
  }
}

// Without a pause, a lane whose delivery cannot be made would be claimed again at once, for ever.
const PAUSE_MS = 30_000;

/** Gives back the lanes whose deliveries cannot be made. The pause is short if this process is to blame. */
async function postpone({ db, log, blame }: Deps, failures: readonly Failure[], othersMade: boolean): Promise<void> {
  const claims = failures.map(({ claim }) => claim);
  const ownPauseMs = othersMade ? undefined : blame?.failed(failures.map(({ claim, err }) => [claim.laneId, err]));
  if (ownPauseMs === undefined) {
    for (const { claim, err } of failures) {
      const { laneId, endpoint } = claim;
      log.error({ err, laneId, endpointId: endpoint.id }, 'webhook.next_delivery_failed');
    }
  }
  await releaseLanes(db, claims, 'ready', ownPauseMs ?? PAUSE_MS);
}

/** Adds the contents of its lane to each claim. Gives empty lanes back as idle. */
async function filled<T>(db: Db, claims: readonly Claim[], contents: ReadonlyMap<number, T>) {
  const empty = claims.filter(({ laneId }) => !contents.has(laneId));
  await releaseLanes(db, empty, 'idle');
  return claims.flatMap((claim) => {
    const content = contents.get(claim.laneId);
    return content === undefined ? [] : [{ claim, content }];
  });
}

const laneIdsOf = (claims: readonly Claim[]): number[] => claims.map(({ laneId }) => laneId);

async function freezeNotifications({ db, floors }: Deps, claims: readonly Claim[]): Promise<ClaimedDelivery[]> {
  const lanes = await filled(db, claims, await nextNotifications(db, laneIdsOf(claims), floors));
  if (lanes.length === 0) return [];
  const waiting = lanes.flatMap(({ content }) => content);
  const records = await recordsOf(db, waiting);
  const deliveries = lanes.map(({ claim, content }) => ({ claim, ...newDelivery(claim, content, records) }));
  const writtenIds = await freezeDeliveries(db, deliveries, floors);
  return deliveries
    .filter(({ webhookId }) => writtenIds.has(webhookId))
    .map(({ claim, webhookId, body, traceparents }) => {
      return { claim, kind: 'delivery', webhookId, body, attemptsBefore: 0, traceparents };
    });
}

const keyOf = ({ loggiKey, seq }: { loggiKey: string; seq: number }): string => `${loggiKey} ${seq}`;

async function recordsOf(db: Db, notifications: readonly WaitingNotification[]): Promise<Map<string, TrackingRecord>> {
  // Read each movement once, because several endpoints of an account get the same movements.
  const distinct = new Map(notifications.map((notification) => [keyOf(notification), notification]));
  const records = await trackingRecords(db, [...distinct.values()]);
  return new Map(records.map((record) => [keyOf(record), record]));
}

function newDelivery(
  claim: Claim,
  notifications: readonly WaitingNotification[],
  records: ReadonlyMap<string, TrackingRecord>,
): NewDelivery {
  const ownRecords = notifications.map((notification) => {
    const record = records.get(keyOf(notification));
    if (!record) throw new Error(`no movement ${notification.seq} of package ${notification.loggiKey}`);
    return record;
  });
  const { bytes, count } = bodyOf(ownRecords);
  const carried = notifications.slice(0, count);
  return {
    laneId: claim.laneId,
    claimId: claim.claimId,
    endpointId: claim.endpoint.id,
    webhookId: newId(),
    notificationIds: carried.map(({ id }) => id),
    traceparents: [...new Set(carried.flatMap(({ traceparent }) => traceparent ?? []))],
    body: bytes,
  };
}

async function freezeOperatorRequests({ db }: Deps, claims: readonly Claim[]): Promise<ClaimedDelivery[]> {
  const requests = await oldestOperatorRequests(db, laneIdsOf(claims));
  const lanes = await filled(db, claims, new Map(requests.map((request) => [request.laneId, request])));
  const deliveries = lanes.map(({ claim, content }) => requestedDelivery(claim, content));
  const isCarried = await Promise.all(deliveries.map((delivery) => carryOperatorRequest(db, delivery.claim, delivery)));
  return deliveries.filter((_, index) => isCarried[index]);
}

function requestedDelivery(claim: Claim, request: OperatorRequest): ClaimedDelivery {
  const { kind, webhookId, body, attemptsBefore, traceparents } = request;
  const delivery = { claim, webhookId, attemptsBefore, traceparents: traceparents ?? [] };
  if (kind === 'test') return { ...delivery, kind, body: body ?? sampleBody(claim.claimedAt) };
  if (!body) throw new Error(`the body of ${webhookId} is missing`);
  return { ...delivery, kind: 'replay', body };
}
