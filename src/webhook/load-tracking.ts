import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import type { Claim } from '../deliveries/claim.js';
import { freezeBodies, type NewBody, nextMembers, type Waiting } from '../deliveries/freeze.js';
import { releaseLanes } from '../deliveries/release.js';
import { type TrackingRecord, trackingRecords } from '../packages/tracking.js';
import { bodyOf } from './body.js';
import type { Load } from './load.js';

/** Freezes a body for each lane; lanes in which nothing waits are given back as idle. */
export async function freezeTracking(db: Db, claims: readonly Claim[]): Promise<Load[]> {
  const laneIds = claims.map(({ laneId }) => laneId);
  const members = await nextMembers(db, laneIds);
  const empty = claims.filter(({ laneId }) => !members.has(laneId));
  await releaseLanes(db, empty, 'idle');
  const records = await recordsOf(db, [...members.values()].flat());
  const bodies = claims.flatMap((claim) => {
    const chosen = members.get(claim.laneId);
    return chosen ? [{ claim, ...newBody(claim, chosen, records) }] : [];
  });
  if (bodies.length === 0) return [];
  const written = await freezeBodies(db, bodies);
  return bodies
    .filter(({ webhookId }) => written.has(webhookId))
    .map(({ claim, webhookId, body }) => ({
      claim,
      kind: 'delivery',
      isTest: false,
      attemptsBefore: 0,
      webhookId,
      body,
    }));
}

const keyOf = ({ loggiKey, seq }: { loggiKey: string; seq: number }): string => `${loggiKey} ${seq}`;

async function recordsOf(db: Db, members: readonly Waiting[]): Promise<Map<string, TrackingRecord>> {
  // Several endpoints of an account are told of the same movements.
  const wanted = new Map(members.map((member) => [keyOf(member), member]));
  const records = await trackingRecords(db, [...wanted.values()]);
  return new Map(records.map((record) => [keyOf(record), record]));
}

function newBody(claim: Claim, members: readonly Waiting[], records: ReadonlyMap<string, TrackingRecord>): NewBody {
  const told = members.map((member) => {
    const record = records.get(keyOf(member));
    if (!record) throw new Error(`no movement ${member.seq} of package ${member.loggiKey}`);
    return record;
  });
  const { bytes, count } = bodyOf(told);
  return {
    laneId: claim.laneId,
    claimId: claim.claimId,
    endpointId: claim.endpoint.id,
    webhookId: newId(),
    members: members.slice(0, count).map(({ id }) => id),
    body: bytes,
  };
}
