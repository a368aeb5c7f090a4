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
 * Where no request may fail: a machine that does other things too makes connections slowly, which is not what is tried.
 */
export const patient = { DATABASE_CONNECT_TIMEOUT_MS: '20000' };
