import { createLog } from '../../src/base/log.js';
import type { Claim } from '../../src/outbox/claim.js';
import { chooseNotifications, type NewDelivery } from '../../src/outbox/freeze.js';
import { createDispatcher, type Dispatcher } from '../../src/webhook/dispatcher.js';
import type { ClaimedDelivery } from '../../src/webhook/next-deliveries.js';
import { createRecorder } from '../../src/webhook/recorder.js';
import type { WorkerSettings } from '../../src/webhook/settings.js';
import { createTroubles } from '../../src/webhook/troubles.js';
import type { Random } from '../../test/support/random.js';
import { claimLanes, freezeBodies, oldestWaiting, releaseLanes } from './claim-and-freeze.js';
import type { FakeDatabase } from './database.js';
import type { Network } from './network.js';
import { recordResults, sweep } from './record-and-wake.js';
import type { Tables } from './tables.js';
import type { Process, VirtualTime } from './virtual-time.js';

/** State that the workers of one run share. */
export interface World {
  time: VirtualTime;
  random: Random;
  database: FakeDatabase;
  tables: Tables;
  network: Network;
  settings: WorkerSettings;
  /** A new one at each call, whoever calls. */
  newId(): string;
}

type SimulatedWorkerOptions = World & { process: Process };

const log = createLog({ level: 'silent' });
const nothing = () => undefined;
const metrics = { claimed: nothing, inFlight: nothing, recorded: nothing, ownFailure: nothing, trouble: nothing };

/**
 * The engine's own dispatcher, pacer, recorder, schedule and choice of members on ports that the simulation answers.
 */
export function simulatedWorker(options: SimulatedWorkerOptions): Dispatcher {
  const { process, database, tables, network, settings, random } = options;
  const dispatcher = createDispatcher({
    claim: (limits) => database.call(process, claimLanes(tables, limits)),
    nextDeliveries: (claims) => load(options, claims),
    send: (body, _, signal) => network(process, body, signal),
    recorder: createRecorder((results) => database.call(process, recordResults(tables, results)), log),
    release: (claims) => database.call(process, releaseLanes(tables, claims, 'ready')),
    mayWork: () => true,
    troubles: createTroubles({ log, metrics }),
    settings,
    metrics,
    log,
    random,
  });
  void upkeep(options);
  return dispatcher;
}

/** As upkeep.ts does. */
async function upkeep({ process, database, tables, settings, time }: SimulatedWorkerOptions): Promise<void> {
  while (process.alive()) {
    await database.call(process, sweep(tables)).catch(() => undefined);
    await time.sleep(settings.sweepMs);
  }
}

/** As next-deliveries.ts does: together, and one by one where that fails. */
async function load(options: SimulatedWorkerOptions, claims: readonly Claim[]): Promise<ClaimedDelivery[]> {
  const bare = claims.filter(({ delivery }) => !delivery);
  const carried = claims.flatMap((claim) => (claim.delivery ? [toLoad(claim, claim.delivery)] : []));
  return [...carried, ...(await isolated(options, bare))];
}

async function isolated(options: SimulatedWorkerOptions, claims: readonly Claim[]): Promise<ClaimedDelivery[]> {
  const deliveries: ClaimedDelivery[] = [];
  if (claims.length === 0) return deliveries;
  try {
    return await freeze(options, claims);
  } catch {
    const { database, process, tables } = options;
    if (claims.length === 1) await database.call(process, releaseLanes(tables, claims, 'ready'));
    else for (const claim of claims) deliveries.push(...(await isolated(options, [claim])));
    return deliveries;
  }
}

/** As next-deliveries.ts does. */
async function freeze(
  { process, database, tables, newId }: SimulatedWorkerOptions,
  claims: readonly Claim[],
): Promise<ClaimedDelivery[]> {
  const laneIds = claims.map(({ laneId }) => laneId);
  const waiting = await database.call(process, oldestWaiting(tables, laneIds));
  const members = chooseNotifications(waiting);
  const empty = claims.filter(({ laneId }) => !members.has(laneId));
  if (empty.length > 0) await database.call(process, releaseLanes(tables, empty, 'idle'));
  const bodies = claims.flatMap((claim): (NewDelivery & { claim: Claim })[] => {
    const { laneId, claimId } = claim;
    const chosen = members.get(laneId);
    if (!chosen) return [];
    const body = Buffer.from(JSON.stringify(chosen.map(({ loggiKey: key, seq }) => ({ key, seq }))));
    const notificationIds = chosen.map(({ id }) => id);
    return [{ claim, laneId, claimId, endpointId: '', webhookId: newId(), notificationIds, traceparents: [], body }];
  });
  if (bodies.length === 0) return [];
  const written = await database.call(process, freezeBodies(tables, bodies));
  return bodies.filter(({ webhookId }) => written.has(webhookId)).map(({ claim, ...body }) => toLoad(claim, body));
}

const toLoad = (claim: Claim, { webhookId, body }: { webhookId: string; body: Buffer }): ClaimedDelivery => ({
  claim,
  kind: 'delivery',
  attemptsBefore: 0,
  webhookId,
  body,
  traceparents: [],
});
