/**
 * Runs a chore that comes again every `everyMs`; whoever watches learns what came of it, under its name. A number that it resolves to is that
 * of the rows that it removed or changed. What it resolves to, or rejects with, is the chore's.
 */
export type Sweep = <T>(name: string, everyMs: number, work: () => Promise<T>) => Promise<T>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
