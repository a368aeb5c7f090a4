import type { TopologyFaultName } from '../names.js';
import type { TopologyFault } from './fault.js';
import { frozenLeader, killedLeader, switchover } from './leader.js';

export const topologyFaults: Readonly<Record<TopologyFaultName, TopologyFault>> = {
  'killed-leader': killedLeader,
  'frozen-leader': frozenLeader,
  switchover,
};
