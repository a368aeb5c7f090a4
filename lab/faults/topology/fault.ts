import type { Finding } from '../../../test/support/processes/judgement.js';
import type { Random } from '../../../test/support/random.js';
import type { Topology } from './topology.js';

/** Something that the whole topology must survive. */
export interface TopologyFault {
  /** The trouble, in words. */
  what: string;
  promise: string;
  /** Settings of the service's processes beside those of compose.yaml. */
  settings?: NodeJS.ProcessEnv;
  run(topology: Topology, chance: { random: Random }): Promise<Finding>;
}

/**
 * For faults where no request may fail: a busy machine makes connections slowly, and that is no part of the fault.
 */
export const patient = { DATABASE_CONNECT_TIMEOUT_MS: '20000' };
