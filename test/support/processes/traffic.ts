import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/base/ids.js';
import type { Db } from '../../../src/db/connect.js';
import { recordMovements } from '../../../src/packages/record-movement.js';
import type { Arrival } from './checking-receiver.js';
import type { Endpoint } from './endpoints.js';

/** A movement that was committed, as the receiver must learn of it. */
export interface Committed {
  path: string;
  loggiKey: string;
  updatedTime: string;
  /** When it was committed, in performance.now()'s time. */
  at: number;
}

export interface Traffic {
  committed: Committed[];
  /** Moves a package of each endpoint, each once, in one transaction; `number` picks which package. */
  move(endpoints: readonly Endpoint[], number?: number): Promise<void>;
}

const location = { city: 'Campinas', state: 'SP' };
const codes = [3, 14, 17, 11, 18];

/** Records movements whose times grow, so that the times tell their order to the receiver. */
export function newTraffic(db: Db): Traffic {
  const committed: Committed[] = [];
  let clock = Date.now() - 3_600_000;
  let moved = 0;
  const move = async (endpoints: readonly Endpoint[], number = 0): Promise<void> => {
    clock += 1;
    moved += 1;
    const happenedAt = new Date(clock).toISOString();
    const updatedTime = happenedAt.replace('Z', '000Z');
    const statusCode = codes[moved % codes.length] ?? 17;
    const told = endpoints.map(({ path, keys }) => ({ path, loggiKey: keys[number % keys.length] ?? '', updatedTime }));
    const items = told.map(({ loggiKey }) => ({ id: newId(), loggiKey, statusCode, happenedAt, location }));
    const { outcomes } = await recordMovements(db, items);
    const refused = outcomes.find(({ result }) => result !== 'recorded');
    if (refused) throw new Error(JSON.stringify(refused));
    const at = performance.now();
    committed.push(...told.map((each) => ({ ...each, at })));
  };
  return { committed, move };
}

const keyOf = (path: string, loggiKey: string, updatedTime: string): string => `${path} ${loggiKey} ${updatedTime}`;

/** What arrived, held against what was committed. */
export interface Judgement {
  /** Committed movements of which no acknowledged request told. */
  lost: number;
  /** Requests beyond the first under one webhook-id. */
  duplicates: number;
  /** Requests whose bytes differ from those of an earlier one under their webhook-id. */
  altered: number;
  /** Entries older than one that had come before for their package and endpoint, replays aside. */
  inversions: number;
  /** What a receiver built from the published documents would not have accepted. */
  refused: string[];
}

export function judge(committed: readonly Committed[], arrivals: readonly Arrival[]): Judgement {
  const told = new Set<string>();
  const digests = new Map<string, string>();
  const latest = new Map<string, string>();
  const judgement: Judgement = { lost: 0, duplicates: 0, altered: 0, inversions: 0, refused: [] };
  for (const { path, webhookId, digest, entries, replay, refusal, acknowledged } of arrivals) {
    if (refusal !== undefined) judgement.refused.push(refusal);
    const before = digests.get(webhookId);
    if (before !== undefined) judgement.duplicates += 1;
    if (before !== undefined && before !== digest) judgement.altered += 1;
    digests.set(webhookId, digest);
    for (const { loggiKey, updatedTime } of entries) {
      if (acknowledged) told.add(keyOf(path, loggiKey, updatedTime));
      if (replay) continue;
      const newest = latest.get(`${path} ${loggiKey}`) ?? '';
      if (updatedTime < newest) judgement.inversions += 1;
      else latest.set(`${path} ${loggiKey}`, updatedTime);
    }
  }
  judgement.lost = committed.filter((each) => !told.has(keyOf(each.path, each.loggiKey, each.updatedTime))).length;
  return judgement;
}

/** The breaches of what holds whatever happens: nothing lost, altered or out of order, every request acceptable. */
export function breachesOf({ lost, altered, inversions, refused }: Judgement): string[] {
  return [
    ...(lost > 0 ? [`${lost} notifications were lost`] : []),
    ...(altered > 0 ? [`${altered} requests had other bytes than an earlier one under their webhook-id`] : []),
    ...(inversions > 0 ? [`${inversions} entries came after a newer one`] : []),
    ...(refused.length > 0 ? [`${refused.length} requests were not acceptable, the first: ${refused[0]}`] : []),
  ];
}

/** Waits until something holds. Throws when it does not within the time. */
export async function until(what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
    await sleep(10);
  }
}
