import { setTimeout as sleep } from 'node:timers/promises';
import { createEndpoint } from '../../../src/endpoints/endpoints.js';
import { type Endpoint, newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { drive, lagsOf, ms, NOISE_MS, newTraffic, p99, type Traffic } from '../../../test/support/processes/traffic.js';
import type { Fault } from '../fault.js';

const HEALTHY_COUNT = 100;
const ACCOUNTS = 6;
const ENDPOINTS_OF_ACCOUNT = 100;
const ANSWER_MS = 10_000;
const pace = { forMs: 36_000, perSecond: 30 };
const MAX_TIMES = 2;
// Measurements before a breach is believed, because the machine may be busy with other work.
const TRIES = 3;
// The interval at which every account has a new notification for each of its endpoints.
const MOVE_MS = 12_000;

export const slowReceivers: Fault = {
  what: `${ACCOUNTS * ENDPOINTS_OF_ACCOUNT} receivers that answer 200 after 10 s, of ${ACCOUNTS} accounts`,
  promise: 'healthy p99 ≤ 2 × baseline; every account of slow ones is served',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const world = await newEndpoints(stage, receiver, { endpoints: HEALTHY_COUNT + ACCOUNTS });
    const [healthy, owners] = [world.slice(ACCOUNTS), world.slice(0, ACCOUNTS)];
    const slow = new Map<string, string>();
    for (const [number, { accountId, path }] of owners.entries()) {
      slow.set(path, accountId);
      for (let endpoint = 1; endpoint < ENDPOINTS_OF_ACCOUNT; endpoint += 1) {
        const url = new URL(receiver.urlOf(1_000 * (number + 1) + endpoint));
        await createEndpoint(stage.db, stage.ring, { accountId, destination: { url, username: 'a', password: 'b' } });
        slow.set(url.pathname, accountId);
      }
    }
    // Half of the accounts have receivers that are fast at first and become slow. The others have had no request
    // before.
    const prompt = owners.slice(0, ACCOUNTS / 2);
    let turned = false;
    receiver.answer(({ path }) => ({ status: 200, afterMs: turned && slow.has(path) ? ANSWER_MS : 0 }));
    const traffic = newTraffic(stage.db);
    await stage.start('worker', [receiver.port]);
    const paths = new Set(healthy.map(({ path }) => path));
    const measure = (others: readonly Endpoint[]) =>
      lagsOf(receiver, traffic, paths, () => driveBeside(traffic, healthy, others));
    const compare = async (): Promise<Finding> => {
      turned = false;
      await measure(prompt);
      const before = p99(await measure([...prompt, ...prompt]));
      turned = true;
      const from = receiver.arrivals.length;
      const after = p99(await measure(owners));
      const served = new Set(receiver.arrivals.slice(from).flatMap(({ path }) => slow.get(path) ?? []));
      return findingOf(before, after, served.size);
    };
    let finding = await compare();
    for (let again = 1; again < TRIES && finding.breaches.length > 0; again += 1) finding = await compare();
    return finding;
  },
};

function findingOf(before: number, after: number, served: number): Finding {
  const times = (after / before).toFixed(2);
  return {
    figures: `p99 ${ms(before)} without, ${ms(after)} beside them (${times} ×)`,
    breaches: [
      ...expectThat(Number.isFinite(before), 'more than 1 % of the healthy deliveries did not arrive'),
      ...expectThat(after <= Math.max(MAX_TIMES * before, before + 4 * NOISE_MS), `p99 ${times} times as long`),
      ...expectThat(served === ACCOUNTS, `only ${served} of ${ACCOUNTS} slow accounts were served`),
    ],
  };
}

/** Moves healthy packages at a steady rate, and packages of the other accounts in turn, each equally often. */
async function driveBeside(traffic: Traffic, healthy: readonly Endpoint[], others: readonly Endpoint[]): Promise<void> {
  const ended = new AbortController();
  const load = keepMoving(traffic, others, ended.signal);
  await drive(traffic, healthy, pace);
  ended.abort();
  await load;
}

async function keepMoving(traffic: Traffic, owners: readonly Endpoint[], ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    for (const owner of owners) {
      await traffic.move([owner]);
      await sleep(MOVE_MS / owners.length);
    }
  }
}
