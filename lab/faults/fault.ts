import type { TemporaryPostgres } from '../../test/support/postgres.js';
import type { Finding } from '../../test/support/processes/judgement.js';
import type { Stage } from '../../test/support/processes/stage.js';
import type { Random } from '../../test/support/random.js';

export interface Run {
  stage: Stage;
  seed: number;
  random: Random;
  postgres: TemporaryPostgres;
}

/** Something that the service must survive, and the promise that it keeps meanwhile. */
export interface Fault {
  /** The trouble in words. */
  what: string;
  promise: string;
  run(run: Run): Promise<Finding>;
}
