import type { Db } from '../db/connect.js';
import type { Claim } from '../deliveries/claim.js';
import { carryRequest, oldestRequests, type Request } from '../deliveries/freeze.js';
import { releaseLanes } from '../deliveries/release.js';
import { bodyOf } from './body.js';
import type { Load } from './load.js';
import { sampleRecord } from './sample.js';

/** Takes the next request of the operator for each lane; lanes without any are given back as idle. */
export async function takeRequests(db: Db, claims: readonly Claim[]): Promise<Load[]> {
  const laneIds = claims.map(({ laneId }) => laneId);
  const requests = new Map((await oldestRequests(db, laneIds)).map((request) => [request.laneId, request]));
  const empty = claims.filter(({ laneId }) => !requests.has(laneId));
  await releaseLanes(db, empty, 'idle');
  const loads = claims.flatMap((claim) => {
    const request = requests.get(claim.laneId);
    return request ? [requestLoad(claim, request)] : [];
  });
  const carried = await Promise.all(loads.map((load) => carryRequest(db, load.claim, load)));
  return loads.filter((_, index) => carried[index]);
}

function requestLoad(claim: Claim, { kind, webhookId, body, attemptsBefore }: Request): Load {
  const isTest = kind === 'test';
  const same = { claim, isTest, webhookId, attemptsBefore };
  if (isTest) return { ...same, kind, body: body ?? bodyOf([sampleRecord(claim.claimedAt)]).bytes };
  if (!body) throw new Error(`the body of ${webhookId} is missing`);
  return { ...same, kind: 'replay', body };
}
