import type { Stage } from '../../test/support/processes/stage.js';
import type { Random } from '../../test/support/random.js';
import type { Server } from './server.js';

/** What a run of a fault came to. Without breaches the promise was kept. */
export interface Finding {
  /** The figures, in a line. */
  figures: string;
  breaches: string[];
}

export interface Run {
  stage: Stage;
  seed: number;
  random: Random;
  server: Server;
}

/** A fault or an attack, and what the service promises in spite of it. */
export interface Fault {
  number: number;
  name: string;
  promise: string;
  run(run: Run): Promise<Finding>;
}

/** A breach in words where a figure is not what it must be. */
export function expectThat(holds: boolean, breach: string): string[] {
  return holds ? [] : [breach];
}
