import { setTimeout as sleep } from 'node:timers/promises';
import { probesOf } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { breachesOfOrders, countOrders, newCustomer, startOrderLoad } from '../../../test/support/processes/orders.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';
import { type Balancer, startBalancer } from './balancer.js';

const RESTARTS = 3;
const CLIENTS = 12;
const PAUSE_MS = 1_000;
const PATIENCE_MS = 60_000;
// The time of four probes of the balancer.
const env = { SHUTDOWN_DELAY_SECONDS: '1' };

export const rollingRestart: Fault = {
  what: `two processes of the API restarted in turn, ${RESTARTS} times each, behind a balancer that repeats nothing`,
  promise: 'no request fails, no order is lost',
  run: async ({ stage }) => {
    const customer = await newCustomer(stage, await stage.openReceiver());
    const balancer = await startBalancer();
    const processes = [await startBehind(balancer, stage, 1), await startBehind(balancer, stage, 2)];
    const load = await startOrderLoad(() => balancer.url, customer, CLIENTS);
    for (let restart = 0; restart < 2 * RESTARTS; restart += 1) {
      await sleep(PAUSE_MS);
      await processes.shift()?.end();
      processes.push(await startBehind(balancer, stage, 2));
    }
    await sleep(PAUSE_MS);
    await load.stop();
    await balancer.stop();
    const { passed, failed } = balancer.counts;
    const count = await countOrders(stage, load.created);
    const others = [...load.others].map(([status, times]) => `${times} × ${status}`).join(', ');
    return {
      figures: `${2 * RESTARTS} restarts, ${passed} requests: ${failed} failed, others ${others || 'none'}; ${load.created.size} orders, lost ${count.missing}`,
      breaches: [
        ...breachesOfOrders(count),
        ...expectThat(failed === 0, `${failed} requests failed`),
        ...expectThat(others === '', `answers other than 201: ${others}`),
      ],
    };
  },
};

/** Starts a process and waits until so many processes get requests. */
async function startBehind(balancer: Balancer, stage: Stage, ready: number): Promise<{ end(): Promise<void> }> {
  const child = await stage.start('api --no-sender', [], env);
  const backend = { url: child.url, probes: probesOf(child) };
  balancer.add(backend);
  await waitFor(() => balancer.ready() === ready, 'a process that is ready', PATIENCE_MS);
  const end = async () => {
    await child.signal('SIGTERM');
    balancer.remove(backend);
  };
  return { end };
}
