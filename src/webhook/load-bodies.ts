import type { Logger } from '../base/log.js';
import type { Db } from '../db/connect.js';
import type { Claim } from '../deliveries/claim.js';
import { stillLeased } from '../deliveries/end-endpoints.js';
import { releaseLanes } from '../deliveries/release.js';
import type { Load } from './load.js';
import { takeRequests } from './load-requests.js';
import { freezeTracking } from './load-tracking.js';

interface LoadDeps {
  db: Db;
  log: Logger;
}

type Work = (db: Db, claims: readonly Claim[]) => Promise<Load[]>;

/** The body that each claimed lane carries, frozen now where there was none. Lanes with nothing to send are left out. */
export async function loadBodies(deps: LoadDeps, claims: readonly Claim[]): Promise<Load[]> {
  const bare = claims.filter((claim) => !claim.frozen);
  const tracking = bare.filter((claim) => !claim.isRequestLane);
  const asked = bare.filter((claim) => claim.isRequestLane);
  const made = [...(await isolated(deps, freezeTracking, tracking)), ...(await isolated(deps, takeRequests, asked))];
  const frozen = claims.filter((claim) => claim.frozen);
  return [...(await stillLeased(deps.db, frozen)).flatMap(carried), ...made];
}

function carried(claim: Claim): Load[] {
  if (!claim.frozen) return [];
  const { kind, ...frozen } = claim.frozen;
  const isTest = kind === 'test';
  return [{ claim, kind: isTest ? kind : claim.isRequestLane ? 'replay' : 'delivery', isTest, ...frozen }];
}

/** Works for all claims together; if that fails, one by one, so that the fault stays with the lane that has it. */
async function isolated(deps: LoadDeps, work: Work, claims: readonly Claim[]): Promise<Load[]> {
  const [first, ...others] = claims;
  if (!first) return [];
  try {
    return await work(deps.db, claims);
  } catch (err) {
    if (others.length === 0) return giveUp(deps, first, err);
    const parts: Load[][] = [];
    for (const claim of claims) parts.push(await isolated(deps, work, [claim]));
    return parts.flat();
  }
}

// A lane whose body cannot be made would else be claimed again at once, for ever.
const PAUSE_MS = 30_000;

async function giveUp({ db, log }: LoadDeps, claim: Claim, err: unknown): Promise<Load[]> {
  log.error({ err, laneId: claim.laneId, endpointId: claim.endpoint.id }, 'cannot make the next body of a lane');
  await releaseLanes(db, [claim], 'ready', PAUSE_MS);
  return [];
}
