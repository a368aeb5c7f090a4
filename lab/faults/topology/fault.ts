import type { Finding } from '../../../test/support/processes/judgement.js';
import type { Random } from '../../../test/support/random.js';
import type { Topology } from './topology.js';

/** A fault that the whole topology must survive. */
export interface TopologyFault {
  /** The trouble in words. */
  what: string;
  promise: string;
  /** Settings of Malote's processes that extend those of compose.yaml. */
  settings?: NodeJS.ProcessEnv;
  run(topology: Topology, chance: { random: Random }): Promise<Finding>;
}

/** Longer waits, for faults in which no request may fail: a busy machine connects slowly. */
export const patient = { DATABASE_CONNECT_TIMEOUT_MS: '20000' };
