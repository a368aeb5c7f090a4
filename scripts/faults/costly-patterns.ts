import { attacksOf, checks, cost } from '../../test/contract/patterns.js';
import { expectThat, type Fault } from './common/fault.js';

const LENGTH = 1_000_000;
const STALL_MS = 50;

export const costlyPatterns: Fault = {
  number: 34,
  name: `every pattern and format on texts of ${LENGTH} characters`,
  promise: `none stalls for more than ${STALL_MS} ms`,
  run: async () => {
    const attacks = attacksOf(LENGTH);
    const costs = checks.map(([name, check]) => ({ name, ms: Math.max(...attacks.map((text) => cost(check, text))) }));
    const slowest = costs.reduce((most, each) => (each.ms > most.ms ? each : most));
    return {
      figures: `${checks.length} checks × ${attacks.length} texts, at most ${slowest.ms.toFixed(1)} ms`,
      breaches: expectThat(slowest.ms <= STALL_MS, `${slowest.name} takes ${slowest.ms.toFixed(0)} ms`),
    };
  },
};
