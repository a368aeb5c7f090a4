import type { TopologyFaultName } from '../names.js';
import { lockedTable, usedUpConnections } from './database.js';
import type { TopologyFault } from './fault.js';
import { fullDisk } from './full-disk.js';
import { frozenLeader, killedLeader, switchover } from './leader.js';
import { lostRedis, restartedHaproxy, restartedPgbouncer, rollingRestart } from './restarts.js';
import { heldSnapshot } from './snapshot.js';
import { lostStandby } from './standby.js';
import { wrongClocks } from './surroundings.js';

export const topologyFaults: Readonly<Record<TopologyFaultName, TopologyFault>> = {
  'killed-leader': killedLeader,
  'frozen-leader': frozenLeader,
  switchover,
  'lost-standby': lostStandby,
  'restarted-pgbouncer': restartedPgbouncer,
  'restarted-haproxy': restartedHaproxy,
  'lost-redis': lostRedis,
  'rolling-restart': rollingRestart,
  'locked-table': lockedTable,
  'held-snapshot': heldSnapshot,
  'used-up-connections': usedUpConnections,
  'wrong-clocks': wrongClocks,
  'full-disk': fullDisk,
};
