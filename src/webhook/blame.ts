import type { Troubles } from './troubles.js';

/** Judges whose fault it is that the deliveries of lanes cannot be made: a lane's own, while those of others can; else this process's. */
export interface Blame {
  /** Deliveries were made by work that began then, in performance.now()'s time. */
  made(since: number): void;
  /** None was made of these lanes, and none of others with them. Returns for how long to wait with them, in ms, where this process is at fault. */
  failed(failures: readonly (readonly [laneId: number, err: unknown])[]): number | undefined;
}

export function createBlame(troubles: Pick<Troubles, 'failed' | 'passed'>): Blame {
  let hasMade = false;
  /** The lane that failed alone since the last success; one that fails after it shows that neither is at fault. */
  let suspect: number | undefined;
  return {
    made: (since) => {
      hasMade = true;
      suspect = undefined;
      troubles.passed(since, 'deliveries');
    },
    failed: (failures) => {
      const [first] = failures;
      if (!first) return undefined;
      const [laneId, err] = first;
      suspect ??= laneId;
      if (hasMade && failures.every(([each]) => each === suspect)) return undefined;
      hasMade = false;
      return troubles.failed({ kind: 'deliveries', detail: err instanceof Error ? err.message : String(err) });
    },
  };
}
