import { attacks } from '../../../test/graphql/attacks.js';
import { expectThat, type Fault } from '../fault.js';

const TRIES = 7;
const COST_MS = 50;

/** Milliseconds to an answer, the least of some tries: other work of the machine is no cost. */
async function costOf(url: string, query: string): Promise<{ status: number; ms: number }> {
  const tries = [];
  for (let left = TRIES; left > 0; left -= 1) {
    const start = performance.now();
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query }),
    });
    await answer.arrayBuffer();
    tries.push({ status: answer.status, ms: performance.now() - start });
  }
  return tries.reduce((least, each) => (each.ms < least.ms ? each : least));
}

export const costlyDocuments: Fault = {
  number: 33,
  name: `${attacks.length} GraphQL documents made to cost much`,
  promise: `refused with 400 within ${COST_MS} ms each`,
  run: async ({ stage }) => {
    const { url } = await stage.start('api', []);
    const costs = [];
    for (const [name, query] of attacks) costs.push({ name, ...(await costOf(url, query)) });
    const dear = costs.toSorted((a, b) => b.ms - a.ms);
    const figures = dear.slice(0, 3).map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`);
    return {
      figures: `the dearest: ${figures.join(', ')}`,
      breaches: costs.flatMap(({ name, status, ms }) => [
        ...expectThat(status === 400, `${name}: ${status}`),
        ...expectThat(ms <= COST_MS, `${name} takes ${ms.toFixed(0)} ms`),
      ]),
    };
  },
};
