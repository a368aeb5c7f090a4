import { commitsWait, type Replication, streamingStandbys } from '../../db/replication.js';
import { megabytes, type Seen } from './finding.js';

/** Advice for a role that does not see `what`. */
export const grant = (role: string, what: string): string =>
  `"grant pg_monitor to ${role}" as a superuser: this role does not see ${what}.`;

const LAG_SECONDS = 10;

/** Judges the replication of a database that should have so many standbys. */
export function replicationSeen(found: Replication, expected: number): Seen {
  const { isStandby, lag, role } = found;
  if (isStandby) return { seen: 'a standby, which knows nothing of the others' };
  const streaming = streamingStandbys(found);
  return {
    seen: described(found, expected),
    bad: (commitsWait(found) && waiting(found)) || (found.connected < expected && (givenUp(found) || LOST)),
    warn:
      streaming === undefined
        ? grant(role, 'whether standbys stream')
        : (streaming < expected && CATCHING_UP) || givenUp(found) || unread(found) || (lag > LAG_SECONDS && BEHIND),
  };
}

const LOST =
  'A standby is lost, and what is acknowledged is on one machine less: start it again (docs/runbook.md#standby-lost).';
const CATCHING_UP = 'A standby is connected and does not stream yet: its log says whether it gets on.';

const BEHIND = 'A standby lags behind: look at its disk and its network before you fail over to it.';

const waiting = ({ demanded }: Replication): string =>
  `Every commit waits for synchronous_standby_names = ${demanded}, which does not stream. Patroni takes it out within seconds; without Patroni start the standby, or take it out.`;

function givenUp({ idleSlots }: Replication): string | undefined {
  const slot = idleSlots.find(({ isLost }) => isLost);
  return (
    slot &&
    `Slot ${slot.name} was given up, so its standby cannot follow any more: copy it anew (patronictl reinit; docs/runbook.md#a-member-that-does-not-rejoin).`
  );
}

function unread({ idleSlots: [slot] }: Replication): string | undefined {
  return (
    slot &&
    `Nobody reads slot ${slot.name}, so that WAL is kept: start the standby or the subscriber that it belongs to. Drop the slot only when that never comes back.`
  );
}

function described(found: Replication, expected: number): string {
  const { connected, synchronous, lag, idleSlots } = found;
  const streaming = streamingStandbys(found);
  const standbys =
    streaming === undefined
      ? `standbys connected: ${connected} of ${expected} expected, their state cannot be seen`
      : `standbys that stream: ${streaming} of ${expected} expected, ${synchronous} synchronous, ${lag.toFixed(1)} s behind at most`;
  const slots = idleSlots.map(({ name, kept, isLost }) => `${name} (${isLost ? 'given up' : megabytes(kept)})`);
  return `${standbys}; unused slots: ${slots.join(', ') || 'none'}`;
}
