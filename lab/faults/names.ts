/** The faults in the order in which they are tried. docs/faults.md describes each. */
export const faultNames = [
  'killed-worker',
  'unrecorded-answer',
  'killed-api',
  'takeover',
  'suspended-worker',
  'ended-database',
  'ended-connections',
  'locked-account',
  'lost-commit',
  'schedule',
  'other-answers',
  'hostile-receivers',
  'lost-connections',
  'untrusted-receivers',
  'isolation',
  'slow-receivers',
  'silent-name-servers',
  'no-network',
  'keys-do-not-open',
  'backlog',
  'random-failures',
  'frozen-redis',
  'limits-across-processes',
  'inner-addresses',
  'canaries',
  'large-requests',
  'varied-types',
  'long-turns',
  'one-account',
  'unfinished-bodies',
  'slow-clients',
  'slow-readers',
  'costly-documents',
  'costly-patterns',
  'costly-requests',
  'pooler',
  'rolling-restart',
  'rolling-upgrade',
  'transaction-pooler',
  'release-too-old',
  'expired-keys',
  'revoked-tokens',
] as const;

export type FaultName = (typeof faultNames)[number];

/** Faults of the whole topology, in the order in which they are tried. docs/cluster.md describes each. */
export const topologyFaultNames = [
  'killed-leader',
  'frozen-leader',
  'switchover',
  'lost-standby',
  'restarted-pgbouncer',
  'restarted-haproxy',
  'lost-redis',
  'rolling-restart',
  'locked-table',
  'held-snapshot',
  'used-up-connections',
  'wrong-clocks',
  'full-disk',
] as const;

export type TopologyFaultName = (typeof topologyFaultNames)[number];

/** The named faults, or all faults of the list if no name is given. Throws if a name is unknown. */
export function chosen<T extends string>(list: readonly T[], names: readonly string[]): T[] {
  const unknownNames = names.filter((name) => !list.some((each) => each === name));
  if (unknownNames.length > 0) throw new Error(`no such fault: ${unknownNames.join(', ')}; see docs/faults.md`);
  return list.filter((name) => names.length === 0 || names.includes(name));
}
