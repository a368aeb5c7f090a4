import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { HOUR_SECONDS } from '../../base/clock.js';
import type { Db } from '../../db/connect.js';
import { readTransactions } from '../../db/health/open-transactions.js';
import {
  commitsWait,
  type Replication,
  readArchiveFails,
  readReplication,
  streamingStandbys,
} from '../../db/health/standbys.js';
import { isCopied } from '../../db/lists/change-numbers.js';
import { oneRow, scalar } from '../../db/one-row.js';
import { type KeptMonth, keptMonths } from '../../orders/retention/old-orders.js';
import { type Checks, duration, type KnownPatient, megabytes, type Patient, runbook, type Seen } from './finding.js';

const OLDEST_SERVER = 150_000;
const MINUTE = 60;

/** Checks the database server: its version and state, and what slows it down. */
export const databaseChecks: Checks<Patient> = {
  postgresql: async ({ db }) => {
    const { version, text } = await oneRow(db, server);
    return {
      seen: text,
      warn: version < OLDEST_SERVER && 'Malote is tried with PostgreSQL 15 to 18: upgrade the server.',
    };
  },

  writes: async ({ db }) => {
    const { standby, read_only } = await oneRow(db, writability);
    const advice = standby
      ? 'DATABASE_URL leads to a standby: give it the primary, or several hosts.'
      : 'The database refuses writes: look for default_transaction_read_only, and for a full disk.';
    return {
      seen: standby ? 'a standby' : read_only ? 'read-only' : 'a primary',
      bad: (standby || read_only) && advice,
    };
  },

  'change-numbers': async ({ db }) => {
    const copied = await isCopied(db);
    const advice = `Lists by updated_from and catch-ups of endpoints stand still: run "malote changes renumber" (${runbook('database-copied')}).`;
    return {
      seen: copied ? 'those of the server that this database was copied from' : 'those of this server',
      bad: copied && advice,
    };
  },

  clock: async ({ db }) => {
    const before = Date.now();
    const now = await scalar(db, sql<Date>`clock_timestamp()`);
    const after = Date.now();
    const apartMs = now.getTime() - (before + after) / 2;
    // The server may have read its clock at any moment in between.
    const surelyMs = Math.max(0, Math.abs(apartMs) - (after - before) / 2);
    const advice = `Let NTP set the clocks of this machine and of the database: tokens, certificates and movements depend on them (${runbook('clock-difference')}).`;
    return {
      seen: `this machine is ${Math.abs(apartMs).toFixed(0)} ms ${apartMs > 0 ? 'behind' : 'ahead of'} the database`,
      bad: surelyMs > 300_000 && advice,
      warn: surelyMs > 1_000 && advice,
    };
  },

  transactions: async ({ db }) => {
    const { seconds, what, prepared, sees, role } = await readTransactions(db);
    const oldest = seconds < MINUTE ? 'none older than a minute' : `the oldest since ${duration(seconds)} (${what})`;
    const advice = `Nothing that dies meanwhile can be cleaned away, and the queue gets slow (${runbook('snapshot-held')}).`;
    return {
      seen: `${oldest}${sees ? '' : `, of ${role} alone`}; ${prepared} prepared`,
      bad: seconds > HOUR_SECONDS && advice,
      warn:
        (seconds > MINUTE && advice) ||
        (prepared > 0 && 'See pg_prepared_xacts: Malote prepares none.') ||
        (!sees && grant(role, 'the transactions of other roles')),
    };
  },

  'dead-tuples': async ({ db }) => {
    const { rows } = await deadTuples.execute(db);
    const { dead, live, name, off } = rows[0] ?? { dead: 0, live: 0, name: 'no table of the queue', off: false };
    const advice = `Run VACUUM (VERBOSE) ${name}: what it says cannot be removed yet is held by an old transaction or an unused slot.`;
    return {
      seen: `${dead} dead of ${live} rows at most (${name})`,
      bad: off && 'autovacuum is off: switch it on.',
      warn: dead > 100_000 && dead > live && advice,
    };
  },

  disk: async ({ db }) => {
    const bytes = await scalar(db, sql<number>`pg_database_size(current_database())::double precision`);
    const advice = `Mend the archive: what it does not take fills the disk (${runbook('archive-failing')}).`;
    const isRefused = await readArchiveFails(db);
    return {
      seen: `${isRefused ? 'the archive refuses WAL; ' : ''}the database has ${megabytes(bytes)}; how much is left, SQL does not say`,
      bad: isRefused && advice,
    };
  },
};

const keptText = ({ suffix, reason, orders, example }: KeptMonth): string =>
  `${suffix}: ${reason}${orders > 0 ? ` (${orders}, such as ${example})` : ''}`;

/** Checks what the settings of the service demand of the server. */
export const demandChecks: Checks<KnownPatient> = {
  'old-orders': async ({ db, config }) => {
    const { retentionOrdersDays: days, lostAfterDays } = config;
    if (days === 0) return { seen: 'RETENTION_ORDERS_DAYS is 0: orders are kept for ever' };
    const kept = await keptMonths(db, { days, lostAfterDays });
    const advice = `Their room is not given back until that is settled (${runbook('months-kept')}).`;
    return {
      seen: kept.length === 0 ? 'no month of old orders stays' : kept.map(keptText).join('; '),
      warn: kept.length > 0 && advice,
    };
  },

  replication: async ({ db, config }) => replicationSeen(await lookAtReplay(db), config.databaseStandbys),

  connections: async ({ db, config }) => {
    const { max, used } = await oneRow(db, connections);
    // The pool, one connection to learn which tokens have ended, and one for the probes.
    const needed = config.databasePoolSize + 2;
    const left = max - used;
    const advice = `One more process takes up to ${needed}. Raise max_connections, put PgBouncer before it, or lower DATABASE_POOL_SIZE.`;
    return { seen: `${used} of ${max} in use`, bad: left <= 0 && advice, warn: left < needed && advice };
  },
};

const server = sql<{ version: number; text: string }>`
  select current_setting('server_version_num')::integer as version, current_setting('server_version') as text`;

const writability = sql<{ standby: boolean; read_only: boolean }>`
  select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`;

const connections = sql<{ max: number; used: number }>`
  select (current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer) as max,
    (select coalesce(sum(numbackends), 0)::integer from pg_stat_database) as used`;

const deadTuples = sql<{ dead: number; live: number; name: string; off: boolean }>`
  select n_dead_tup::integer as dead, n_live_tup::integer as live, relname as name, not current_setting('autovacuum')::boolean as off
  from pg_stat_user_tables where relname like 'webhook%' order by n_dead_tup desc, relname limit 1`;

/** Advice for a database role that may not see `what`. */
const grant = (role: string, what: string): string =>
  `"grant pg_monitor to ${role}" as a superuser: this role does not see ${what}.`;

const LOOK_AGAIN_MS = 500;
const LATE_MS = 5_000;

/** Reads the replication until all standbys have replayed the first position, or have taken too long. */
async function lookAtReplay(db: Db): Promise<Replication & { isLate: boolean }> {
  const first = await readReplication(db);
  const isLate = ({ replayed }: Replication) => (replayed ?? Infinity) < (first.written ?? 0);
  let now = first;
  for (const end = performance.now() + LATE_MS; isLate(now) && performance.now() < end; ) {
    await sleep(LOOK_AGAIN_MS);
    now = await readReplication(db);
  }
  return { ...now, isLate: isLate(now) };
}

/** Judges the replication of a database that must have `expected` standbys. */
function replicationSeen(found: Replication & { isLate: boolean }, expected: number): Seen {
  const { isStandby, isLate, role } = found;
  if (isStandby) return { seen: 'a standby, which knows nothing of the others' };
  const streaming = streamingStandbys(found);
  return {
    seen: described(found, expected),
    bad: (commitsWait(found) && waiting(found)) || (found.connected < expected && (givenUp(found) || lost)),
    warn:
      streaming === undefined
        ? grant(role, 'whether standbys stream')
        : (streaming < expected && CATCHING_UP) || givenUp(found) || unread(found) || (isLate && behind),
  };
}

const lost = `A standby is lost, so acknowledged writes are on one machine less: start it again (${runbook('standby-lost')}).`;
const CATCHING_UP = 'A standby is connected and does not stream yet: its log says whether it gets on.';

const behind = `A standby does not replay what was written ${LATE_MS / 1000} s ago: it would take over late, and lists that it answers are old (${runbook('standby-behind')}).`;

const waiting = ({ demanded }: Replication): string =>
  `Every commit waits for synchronous_standby_names = ${demanded}, which does not stream. Patroni takes it out within seconds; without Patroni start the standby, or take it out.`;

function givenUp({ idleSlots }: Replication): string | undefined {
  const slot = idleSlots.find(({ isLost }) => isLost);
  return (
    slot &&
    `Slot ${slot.name} was given up, so its standby cannot follow any more: copy it anew (patronictl reinit; ${runbook('a-member-that-does-not-rejoin')}).`
  );
}

function unread({ idleSlots: [slot] }: Replication): string | undefined {
  return (
    slot &&
    `Nobody reads slot ${slot.name}, so that WAL is kept: start the standby or the subscriber that it belongs to. Drop the slot only when that never comes back.`
  );
}

function described(found: Replication, expected: number): string {
  const { connected, synchronous, written, replayed, idleSlots } = found;
  const streaming = streamingStandbys(found);
  const standbys =
    streaming === undefined
      ? `standbys connected: ${connected} of ${expected} expected, their state cannot be seen`
      : `standbys that stream: ${streaming} of ${expected} expected, ${synchronous} synchronous, ${megabytes(Math.max(0, (written ?? 0) - (replayed ?? Infinity)))} behind at most`;
  const slots = idleSlots.map(({ name, kept, isLost }) => `${name} (${isLost ? 'given up' : megabytes(kept)})`);
  return `${standbys}; unused slots: ${slots.join(', ') || 'none'}`;
}
