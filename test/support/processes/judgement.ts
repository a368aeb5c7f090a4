import type { Arrival } from './checking-receiver.js';
import { type Committed, keyOf } from './traffic.js';

/** The result of a trial. Without breaches the promise was kept. */
export type Finding = { figures: string; breaches: string[] };

/** A breach in words, if a figure is outside its bounds. */
export const expectThat = (holds: boolean, breach: string): string[] => (holds ? [] : [breach]);

/** Arrivals compared with the commits. */
interface Judgement {
  /** Committed movements that no acknowledged request carried. */
  lost: number;
  /** Requests beyond the first under one webhook-id. */
  duplicates: number;
  /** Requests whose bytes differ from those of an earlier one under their webhook-id. */
  altered: number;
  /** Entries older than one that had come before for their package and endpoint, replays aside. */
  inversions: number;
  /** Requests that a receiver built from the published documents would not have accepted. */
  refused: string[];
}

export function judge(committed: readonly Committed[], arrivals: readonly Arrival[]): Judgement {
  const acknowledgedEntries = new Set<string>();
  const digests = new Map<string, string>();
  const latest = new Map<string, string>();
  const judgement: Judgement = { lost: 0, duplicates: 0, altered: 0, inversions: 0, refused: [] };
  for (const { path, webhookId, digest, entries, replay, refusal, acknowledged } of arrivals) {
    if (refusal !== undefined) judgement.refused.push(refusal);
    const firstDigest = digests.get(webhookId);
    if (firstDigest !== undefined) judgement.duplicates += 1;
    if (firstDigest !== undefined && firstDigest !== digest) judgement.altered += 1;
    digests.set(webhookId, digest);
    for (const { loggiKey, updatedTime } of entries) {
      if (acknowledged) acknowledgedEntries.add(keyOf({ path, loggiKey, updatedTime }));
      if (replay) continue;
      const newest = latest.get(`${path} ${loggiKey}`) ?? '';
      if (updatedTime < newest) judgement.inversions += 1;
      else latest.set(`${path} ${loggiKey}`, updatedTime);
    }
  }
  judgement.lost = committed.filter((each) => !acknowledgedEntries.has(keyOf(each))).length;
  return judgement;
}

/** The breaches of promises that always hold: nothing lost, altered or out of order, every request acceptable. */
export function breachesOf({ lost, altered, inversions, refused }: Judgement): string[] {
  return [
    ...(lost > 0 ? [`${lost} notifications were lost`] : []),
    ...(altered > 0 ? [`${altered} requests had other bytes than an earlier one under their webhook-id`] : []),
    ...(inversions > 0 ? [`${inversions} entries came after a newer one`] : []),
    ...(refused.length > 0 ? [`${refused.length} requests were not acceptable, the first: ${refused[0]}`] : []),
  ];
}
