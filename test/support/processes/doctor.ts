import type { Stage } from './stage.js';

export interface Complaint {
  check: string;
  status: string;
  seen: string;
  advice?: string;
}

/** Findings that come from the machine on which things are tried. */
const OF_MACHINE = new Set(['node', 'name-servers', 'settings']);

/** Findings of `malote doctor` with the settings of a process, without those that come from this machine. */
export async function complaintsOf(
  stage: Stage,
  env: NodeJS.ProcessEnv,
  ofMachine: ReadonlySet<string> = OF_MACHINE,
): Promise<Complaint[]> {
  // It ends with another code than 0 where it finds something, and has said what.
  const out = await stage.complete('malote doctor --json', env).catch(saidBy);
  const { data }: { data: Complaint[] } = JSON.parse(out);
  return data.filter(({ check, status }) => status !== 'ok' && !ofMachine.has(check));
}

function saidBy(error: unknown): string {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout)
    return error.stdout;
  throw error;
}

export const inWords = (complaints: readonly Complaint[]): string =>
  complaints.map(({ check, status, seen }) => `${check} ${status}: ${seen}`).join('; ');
