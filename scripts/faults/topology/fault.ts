import type { Finding } from '../../../test/support/processes/judgement.js';
import type { Random } from '../../../test/support/random.js';
import type { Topology } from './topology.js';

/** Something that the whole topology must survive. */
export interface TopologyFault {
  /** What is done. */
  what: string;
  promise: string;
  run(topology: Topology, chance: { random: Random }): Promise<Finding>;
}
