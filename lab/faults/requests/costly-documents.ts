import { checks, dearest } from '../../../test/contract/patterns.js';
import { attacks } from '../../../test/graphql/attacks.js';
import { ask } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { newCustomer } from '../../../test/support/processes/orders.js';
import type { Fault } from '../fault.js';
import { apiKeyOf } from './costly-requests.js';

const TRIES = 7;
const COST_MS = 50;

/** The fewest milliseconds to an answer in several tries, because other work of the machine only adds time. */
async function costOf(url: string, authorization: string, query: string): Promise<{ status: number; ms: number }> {
  const tries = [];
  for (let left = TRIES; left > 0; left -= 1) {
    const start = performance.now();
    const headers = { Accept: 'application/graphql-response+json', Authorization: authorization };
    const { status } = await ask(url, 'POST', '/graphql', { headers, body: { query } });
    tries.push({ status, ms: performance.now() - start });
  }
  return tries.reduce((least, each) => (each.ms < least.ms ? each : least));
}

export const costlyDocuments: Fault = {
  what: `${attacks.length} GraphQL documents made to cost much`,
  promise: `refused with 400 within ${COST_MS} ms each`,
  run: async ({ stage }) => {
    const { url } = await stage.start('api --no-sender', []);
    // Without credentials the service refuses the largest documents by their length and does not read them.
    const customer = await newCustomer(stage, await stage.openReceiver());
    const authorization = `ApiKey ${customer.email}:${await apiKeyOf(url, customer)}`;
    const costs = [];
    for (const [name, query] of attacks) costs.push({ name, ...(await costOf(url, authorization, query)) });
    const byCost = costs.toSorted((a, b) => b.ms - a.ms);
    const figures = byCost.slice(0, 3).map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`);
    return {
      figures: `the most expensive: ${figures.join(', ')}`,
      breaches: costs.flatMap(({ name, status, ms }) => [
        ...expectThat(status === 400, `${name}: ${status}`),
        ...expectThat(ms <= COST_MS, `${name} takes ${ms.toFixed(0)} ms`),
      ]),
    };
  },
};

const LENGTH = 1_000_000;
const STALL_MS = 50;

export const costlyPatterns: Fault = {
  what: `every pattern and format on texts of up to ${LENGTH} characters`,
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
