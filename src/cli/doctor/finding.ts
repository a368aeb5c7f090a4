import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../base/config.js';
import type { Db } from '../../db/connect.js';
import { codeOf, reasonOf } from '../errors.js';

export type Status = 'ok' | 'warn' | 'bad';

export interface Finding {
  check: string;
  status: Status;
  seen: string;
  advice?: string;
}

/** The facts that a check saw. `bad` and `warn` are advice. `bad` wins over `warn`; without either, all is well. */
export interface Seen {
  seen: string;
  bad?: string | false | undefined;
  warn?: string | false | undefined;
}

export type Patient = { db: Db };

export type KnownPatient = Patient & { config: Config };

/** Checks by name. docs/doctor.md lists the names. */
export type Checks<On> = Readonly<Record<string, (on: On) => Promise<Seen>>>;

/** The address of a section in the runbook, for advice longer than a line. */
export const runbook = (section: string): string => `docs/runbook.md#${section}`;

const DEADLINE_MS = 8_000;

/** Runs all checks at once, each with its own deadline. A check that fails is a finding, too. */
export function examine<On>(checks: Checks<On>, on: On): Promise<Finding[]> {
  return Promise.all(Object.entries(checks).map(([check, look]) => examined(check, () => look(on))));
}

async function examined(check: string, look: () => Promise<Seen>): Promise<Finding> {
  const abort = new AbortController();
  const tooLong = sleep(DEADLINE_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`no answer within ${DEADLINE_MS / 1000} s`);
  });
  try {
    const { seen, bad, warn } = await Promise.race([look(), tooLong]);
    if (bad) return { check, status: 'bad', seen, advice: bad };
    return warn ? { check, status: 'warn', seen, advice: warn } : { check, status: 'ok', seen };
  } catch (error) {
    return { check, status: 'bad', ...failed(error) };
  } finally {
    abort.abort();
  }
}

/** SQLSTATE codes of undefined_table and undefined_column. */
const MISSING = /^42(P01|703)$/;

function failed(error: unknown): Pick<Finding, 'seen' | 'advice'> {
  if (MISSING.test(codeOf(error) ?? ''))
    return { seen: 'the database lacks the tables of this check', advice: 'Run "malote migrate", which adds it.' };
  const reason = reasonOf(error);
  const message = error instanceof Error && error.message !== reason ? ` (${error.message})` : '';
  return { seen: `cannot be looked at: ${reason}${message}`, advice: 'See what that says.' };
}

export function duration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MB`;
