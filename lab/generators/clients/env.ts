const { env: all } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process;

/** A setting of the trial. */
export function env(name: string): string {
  const value = all[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
