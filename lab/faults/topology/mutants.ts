import { type Mutant, one } from '../mutant.js';
import type { TopologyFaultName } from '../names.js';

const CONNECT = 'src/db/connect.ts';
const ERRORS = 'src/db/errors.ts';
const REDIS = 'src/http/limits/redis-link.ts';
const HAPROXY = 'deploy/cluster/haproxy.cfg';

/** Wrong builds of the service or wrong setups of the topology, each with the fault that must find it. */
export const topologyMutants: readonly Mutant<TopologyFaultName>[] = [
  one(
    'killed-leader',
    'a commit is answered before the follower has it',
    'deploy/cluster/patroni.yml',
    "wal_log_hints: 'on'",
    "wal_log_hints: 'on'\n        synchronous_commit: local",
  ),
  {
    name: 'nobody gives up on a server that says nothing',
    fault: 'frozen-leader',
    edits: [
      { file: CONNECT, from: '+ GRACE_MS', to: '+ 60 * GRACE_MS' },
      { file: 'deploy/cluster/leader.cfg', from: ' on-marked-down shutdown-sessions', to: '' },
    ],
  },
  one(
    'switchover',
    'PgBouncer looks for the leader every 15 s, as it does by default',
    'deploy/cluster/pgbouncer.ini',
    'server_login_retry = 0.2',
    'server_login_retry = 15',
  ),
  one(
    'lost-standby',
    'the role of the service may not see standbys',
    'deploy/cluster/create-database.sh',
    'grant pg_monitor to malote;',
    '',
  ),
  one(
    'lost-standby',
    'nobody has said that a standby is expected',
    'deploy/cluster/compose.yaml',
    "DATABASE_STANDBYS: '1'",
    "DATABASE_STANDBYS: '0'",
  ),
  one(
    'restarted-pgbouncer',
    'the loss of an idle connection is not listened for',
    CONNECT,
    "pool.on('error', () => undefined);",
    '',
  ),
  one(
    'restarted-haproxy',
    'answers that are stored for a key are not found',
    'src/idempotency/stored-answers.ts',
    'where account_id = scope.account_id and operation = scope.operation',
    'where false and account_id = scope.account_id and operation = scope.operation',
  ),
  {
    name: 'each request waits for Redis',
    fault: 'lost-redis',
    edits: [
      { file: REDIS, from: "state = 'alone';", to: '' },
      { file: REDIS, from: 'SILENCE_MS = 3_000', to: 'SILENCE_MS = 60_000' },
      {
        file: 'src/base/config.ts',
        from: 'REDIS_TIMEOUT_MS: setting.whole(5, 60_000)({ default: 75 })',
        to: 'REDIS_TIMEOUT_MS: setting.whole(5, 60_000)({ default: 500 })',
      },
    ],
  },
  {
    name: 'a process stops at once, and nothing is repeated',
    fault: 'rolling-restart',
    edits: [
      { file: 'deploy/cluster/compose.yaml', from: "SHUTDOWN_DELAY_SECONDS: '3'", to: "SHUTDOWN_DELAY_SECONDS: '0'" },
      { file: HAPROXY, from: 'retry-on conn-failure empty-response 503', to: 'retry-on none' },
    ],
  },
  one('locked-table', 'locks are waited for', CONNECT, 'lockTimeoutMs: 500,', 'lockTimeoutMs: 9_000,'),
  one(
    'locked-table',
    'an operation that waits for a lock is not set apart',
    'src/http/bulkhead.ts',
    'const APART_MS = 5_000;',
    'const APART_MS = 0;',
  ),
  one(
    'held-snapshot',
    'a lane is read from its beginning each time',
    'src/queue/floors.ts',
    'floors.get(laneId) ?? 0',
    'Math.min(floors.get(laneId) ?? 0, 0)',
  ),
  one('used-up-connections', "a pooler's refusal counts as our mistake", ERRORS, '/^(08...|53...', '/^(53...'),
  one(
    'wrong-clocks',
    "a movement's time is judged by the clock of the process",
    'src/packages/move-packages.ts',
    "(clock_timestamp() + interval '5 minutes')",
    `(\${new Date()}::timestamptz + interval '5 minutes')`,
  ),
  one('full-disk', 'a full disk counts as our mistake', ERRORS, '/^(08...|53...', '/^(08...'),
];
