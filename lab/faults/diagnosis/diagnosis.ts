import type { Complaint } from '../../../test/support/processes/doctor.js';
import type { ServiceName } from '../topology/topology.js';
import type { Alert } from './prometheus.js';
import { sectionOf, sectionsIn } from './runbook.js';

/** The signs that people on call see: firing alerts, and the findings of `malote doctor` on each machine. */
export interface Signs {
  alerts: readonly Alert[];
  findings: readonly Problem[];
}

/** A finding of `malote doctor` and its machine. */
export type Problem = Complaint & { machine: ServiceName };

export const causes = [
  'killed-api',
  'killed-worker',
  'killed-leader',
  'killed-pooler',
  'killed-redis',
  'lost-standby',
  'archive-refusing',
  'disk-filling',
  'wrong-clock',
  'hung-process',
  'noisy-account',
  'old-binary',
  'wrong-key',
  'silent-names',
  'expired-certificate',
  'slow-receivers',
  'held-snapshot',
  'replica-behind',
  'no-quorum',
  'dead-letters',
] as const;
export type Cause = (typeof causes)[number];

/** A cause, the sign that names it, and the advice: the sign's own words and the section of the runbook. */
export interface Diagnosis {
  cause: Cause;
  sign: string;
  advice: string;
}

interface Reading {
  cause: Cause;
  /** The name of an alert, and required parts of its labels and summary. */
  alert?: readonly [name: string, says?: RegExp];
  /** The name of a check, and required parts of its observation or advice. */
  finding?: readonly [check: string, says?: RegExp];
}

/**
 * Readings of signs, the most specific first, because one sign may follow from another. The first match names the
 * cause. The table does not know which trouble was brought about.
 */
const readings: readonly Reading[] = [
  { cause: 'no-quorum', alert: ['MalotePatroniWithoutEtcd'] },
  { cause: 'wrong-clock', alert: ['MaloteNotReady', /clock/], finding: ['clock'] },
  { cause: 'wrong-key', alert: ['MaloteNotReady', /keys/], finding: ['keys'] },
  { cause: 'silent-names', alert: ['MaloteOwnWebhookFailures', /names/], finding: ['name-servers'] },
  { cause: 'killed-leader', alert: ['MaloteLeaderChanged'] },
  { cause: 'killed-pooler', alert: ['MaloteDatabaseUnreached'], finding: ['database', /Nothing listens at .*:6432/] },
  { cause: 'lost-standby', alert: ['MaloteStandbyLost'], finding: ['replication', /A standby is lost/] },
  { cause: 'replica-behind', alert: ['MaloteStandbyBehind'], finding: ['replication', /does not replay/] },
  { cause: 'archive-refusing', alert: ['MaloteArchiveFailing'], finding: ['disk', /archive/] },
  { cause: 'disk-filling', alert: ['MaloteDatabaseDiskFull'] },
  { cause: 'hung-process', alert: ['MaloteProcessHung'], finding: ['service', /hangs/] },
  { cause: 'old-binary', alert: ['MaloteOldBinary'], finding: ['service', /another version/] },
  { cause: 'killed-api', alert: ['MaloteProcessDown', /api-/], finding: ['service', /^api-.*nothing answers/] },
  {
    cause: 'killed-worker',
    alert: ['MaloteProcessDown', /worker-/],
    finding: ['service', /^worker-.*nothing answers/],
  },
  { cause: 'killed-redis', alert: ['MaloteRedisFallback'], finding: ['redis', /until Redis answers/] },
  { cause: 'held-snapshot', alert: ['MaloteSnapshotHeld'], finding: ['transactions', /since/] },
  { cause: 'dead-letters', alert: ['MaloteDeadLetters'], finding: ['dead-letters'] },
  { cause: 'expired-certificate', finding: ['endpoints', /CERT_HAS_EXPIRED/] },
  { cause: 'slow-receivers', alert: ['MaloteReceiversSlow'], finding: ['endpoints', /slow/] },
  { cause: 'noisy-account', alert: ['MaloteAccountRefused'], finding: ['redis', /beyond its budget/] },
];

export function diagnose({ alerts, findings }: Signs): Diagnosis | undefined {
  for (const { cause, alert, finding } of readings) {
    const firing = alert && alerts.find((each) => each.name === alert[0] && (alert[1] ?? /^/).test(wordsOf(each)));
    if (firing) return { cause, sign: `${firing.name}: ${firing.summary}`, advice: sectionOf(firing.section) };
    const complaint =
      finding && findings.find((each) => each.check === finding[0] && (finding[1] ?? /^/).test(saidBy(each)));
    if (complaint)
      return {
        cause,
        sign: `doctor on ${complaint.machine}, ${complaint.check} ${complaint.status}: ${complaint.seen}`,
        advice: [saidBy(complaint), ...sectionsIn(saidBy(complaint)).map(sectionOf)].join('\n'),
      };
  }
  return undefined;
}

const wordsOf = ({ labels, summary }: Alert): string => [...Object.values(labels), summary].join(' ');
const saidBy = ({ machine, seen, advice = '' }: Problem): string => `${machine}: ${seen}. ${advice}`;

/** The signs as one line of a report. */
export const inWords = ({ alerts, findings }: Signs): string =>
  [
    ...alerts.map(({ name, summary }) => `${name} (${summary})`),
    ...findings.map(({ machine, check, status, seen }) => `${machine} ${check} ${status}: ${seen}`),
  ].join('; ') || 'nothing';
