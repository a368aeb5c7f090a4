import { checks, dearest } from '../../../test/contract/patterns.js';
import { expectThat, type Fault } from '../fault.js';

const LENGTH = 1_000_000;
const STALL_MS = 50;

export const costlyPatterns: Fault = {
  number: 34,
  name: `every pattern and format on texts of up to ${LENGTH} characters`,
  promise: `none stalls for more than ${STALL_MS} ms`,
  run: async () => {
    const costs = checks.map(([name, check]) => ({ name, ms: dearest(check, LENGTH, STALL_MS) }));
    const slowest = costs.reduce((most, each) => (each.ms > most.ms ? each : most));
    return {
      figures: `${checks.length} checks, at most ${slowest.ms.toFixed(1)} ms`,
      breaches: expectThat(slowest.ms <= STALL_MS, `${slowest.name} takes ${slowest.ms.toFixed(0)} ms`),
    };
  },
};
