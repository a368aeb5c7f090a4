/**
 * Runs a chore that comes again every `everyMs` and resolves to how many rows it removed or changed; whoever watches learns what came of
 * it, under its name. What it resolves to, or rejects with, is the chore's.
 */
export type Sweep = (name: string, everyMs: number, work: () => Promise<number>) => Promise<number>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
