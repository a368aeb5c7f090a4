/** Runs a chore and reports its outcome; a number that it resolves to counts rows that it removed or changed. */
export type Sweep = <T>(name: string, everyMs: number, work: () => Promise<T>) => Promise<T>;

export const unwatchedSweep: Sweep = (_name, _everyMs, work) => work();
