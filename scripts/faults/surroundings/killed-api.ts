import { setTimeout as sleep } from 'node:timers/promises';
import { breachesOfOrders, countOrders, newCustomer, startOrderLoad } from '../../../test/support/processes/orders.js';
import { between } from '../../../test/support/random.js';
import { expectThat, type Fault, type Finding, type Run } from '../fault.js';

const CLIENTS = 6;

/** Kills the API while clients create orders; they ask again, under the same idempotency key. */
export async function killApi({ stage, random }: Pick<Run, 'stage' | 'random'>, kills: number): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  let api = await stage.start('api --no-sender', [receiver.port]);
  const load = await startOrderLoad(() => api.url, customer, CLIENTS);
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(between(random, 300, 1_200));
    await api.signal('SIGKILL');
    api = await stage.start('api --no-sender', [receiver.port]);
  }
  await sleep(500);
  await load.stop();
  const count = await countOrders(stage, load.created);
  const odd = [...load.others.keys()].filter((status) => ![0, 409, 503].includes(status));
  return {
    figures: `${kills} kills, ${load.others.get(0) ?? 0} requests cut off, ${load.created.size} orders created: missing ${count.missing}, twice ${count.surplus}, orphans ${count.orphans}`,
    breaches: [...breachesOfOrders(count), ...expectThat(odd.length === 0, `answers with ${odd.join()}`)],
  };
}

export const killedApi: Fault = {
  number: 3,
  name: 'kill -9 of the API while orders are created',
  promise: '201 means that order and notifications exist, once',
  run: (run) => killApi(run, 10),
};
