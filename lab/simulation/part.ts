/** Child process: runs the scenarios of some seeds and says which promises they broke. */
import type { Order, Outcome } from './simulate.js';
import { install, virtualTime } from './virtual-time.js';

const time = virtualTime();
install(time);
// Loaded only now: the engine is to see the virtual time alone.
const { runScenario } = await import('./scenario.js');

async function run({ first, count, broken }: Order): Promise<Outcome> {
  const outcome: Outcome = { runs: 0, violations: [] };
  for (let seed = first; seed < first + count; seed += 1) {
    const brokenPromises = await runScenario(time, seed, broken);
    outcome.runs += 1;
    if (brokenPromises.length > 0) outcome.violations.push({ seed, brokenPromises });
    // One run shows that the simulation notices.
    if (broken && outcome.violations.length > 0) break;
  }
  return outcome;
}

process.once('message', async (orders: Order[]) => {
  const outcomes: Outcome[] = [];
  for (const order of orders) outcomes.push(await run(order));
  process.send?.(outcomes, () => process.disconnect());
});
