/**
 * Runs a chore that comes again every `everyMs`, and reports its outcome under its name. A number that it resolves to
 * counts the rows that it removed or changed.
 */
export type Sweep = <T>(name: string, everyMs: number, work: () => Promise<T>) => Promise<T>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
