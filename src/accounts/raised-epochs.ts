/** The epochs that were raised of late, by account; what was not raised for long enough is forgotten. */
export interface RaisedEpochs {
  /** Notes what a read, begun at `now` (monotonic milliseconds), returned. */
  note(rows: readonly { id: string; epoch: number }[], now: number): void;
  /** Whether the account's epoch has been raised above this one. */
  isAbove(accountId: string, epoch: number): boolean;
}

const PRUNE_EVERY_MS = 60_000;

export function createRaisedEpochs(keepMs: number): RaisedEpochs {
  const raised = new Map<string, { epoch: number; seenAt: number }>();
  let prunedAt = Number.NEGATIVE_INFINITY;

  const prune = (now: number) => {
    if (now - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now;
    for (const [id, { seenAt }] of raised) if (now - seenAt > keepMs) raised.delete(id);
  };

  return {
    note: (rows, now) => {
      // Reads may end in another order than they began: an epoch never goes back.
      for (const { id, epoch } of rows) {
        raised.set(id, { epoch: Math.max(epoch, raised.get(id)?.epoch ?? 0), seenAt: now });
      }
      prune(now);
    },
    isAbove: (accountId, epoch) => epoch < (raised.get(accountId)?.epoch ?? 0),
  };
}
