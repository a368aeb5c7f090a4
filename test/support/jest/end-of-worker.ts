const endsKey = Symbol.for('malote: ends of what lives as long as the worker');

type End = () => Promise<void>;

/** A process has one list. The run's teardown may run in the tests' own process, but loads its modules anew. */
function listOf(process: object): End[] {
  const ends: End[] = Reflect.get(process, endsKey) ?? [];
  Reflect.set(process, endsKey, ends);
  return ends;
}

/** Adds work for the time after the last file. */
export const atEndOfWorker = (end: End): void => void listOf(process).push(end);

export async function endWorker(): Promise<void> {
  for (const end of listOf(process).splice(0)) await end();
}
