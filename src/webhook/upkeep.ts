import type { Sweep } from '../base/background.js';
import { every } from '../base/background.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { sampleSecrets } from '../endpoints/secrets.js';
import { releaseHeldLanes, wakeIdleLanes, wakeStoppedLanes } from '../queue/lanes.js';
import { addKeyPairs, createPlanRenewal, purge } from '../queue/upkeep.js';
import { catchUp } from './catch-up.js';
import type { OpenKeys } from './request.js';
import type { WorkerSettings } from './settings.js';
import type { Troubles } from './troubles.js';

interface UpkeepDeps {
  db: Db;
  log: Logger;
  runSweep: Sweep;
  settings: WorkerSettings;
  encryptionKeys: KeyRing;
  keys: OpenKeys;
  troubles: Troubles;
}

const KEYS_MS = 30_000;

/** Starts the periodic chores besides sending. The returned function ends them. */
export function startUpkeep(deps: UpkeepDeps): () => Promise<void> {
  const { db, log, runSweep, settings } = deps;
  const failing = { log, event: 'webhook.upkeep_failed', startMs: 0 };
  const sweep = (name: string, ms: number, work: (stopped: () => boolean) => Promise<number>) =>
    every(ms, failing, (signal) => runSweep(name, ms, () => work(() => signal.aborted)));
  const stops = [
    every(KEYS_MS, failing, (signal) => tendKeys(deps, () => signal.aborted)),
    sweep('webhook_lanes', settings.sweepMs, async () => {
      const woken = (await wakeIdleLanes(db, 'recent')) + (await wakeStoppedLanes(db));
      return woken + (await releaseHeldLanes(db));
    }),
    sweep('webhook_catch_ups', settings.catchUpMs, (stopped) => lookThrough(deps, stopped)),
    sweep('webhook_plans', settings.plansMs, createPlanRenewal(db)),
    sweep('webhook_all_lanes', settings.fullSweepMs, () => wakeIdleLanes(db, 'all')),
    sweep('webhook_history', settings.purgeMs, async (stopped) => {
      let removed = 0;
      for (let mayBeMore = true; mayBeMore && !stopped(); ) {
        const { rows, isFull } = await purge(db, settings.retention);
        removed += rows;
        mayBeMore = isFull;
      }
      return removed;
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

const MAX_LOOKS = 50;

/**
 * Continues catch-ups in turn. After `MAX_LOOKS` the rest waits for the next time, so that metrics see the chore end.
 */
async function lookThrough({ db, log }: UpkeepDeps, stopped: () => boolean): Promise<number> {
  let total = 0;
  for (let looks = 0; looks < MAX_LOOKS && !stopped(); looks += 1) {
    const looked = await catchUp(db, log);
    if (looked === undefined) break;
    total += looked;
  }
  return total;
}

/** Gives key pairs to endpoints without one, only if the keys open the stored secrets. */
async function tendKeys(deps: UpkeepDeps, stopped: () => boolean): Promise<void> {
  const { db, encryptionKeys } = deps;
  let mayBeMore = await tryKeys(deps);
  while (mayBeMore && !stopped()) mayBeMore = await addKeyPairs(db, encryptionKeys);
}

/** Tries the keys on some secrets before a delivery needs them. True if they are right. */
async function tryKeys({ db, keys, troubles }: UpkeepDeps): Promise<boolean> {
  const startedAt = performance.now();
  const endpoints = await sampleSecrets(db);
  // Open all once before judging. If other secrets open, the key is right, and the failing ones are damaged.
  for (const endpoint of endpoints) keys.open(endpoint);
  const results = endpoints.map((endpoint) => keys.open(endpoint));
  for (const secrets of results) {
    if ('kind' in secrets) troubles.failed(secrets);
    else troubles.passed(startedAt, 'keys');
  }
  return results.every((secrets) => !('kind' in secrets && secrets.kind === 'keys'));
}
