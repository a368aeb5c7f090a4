import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { accessToken, ask } from '../../../../test/support/http.js';
import { newCustomer } from '../../../../test/support/processes/orders.js';
import { deadLetters, endPauses } from '../../../../test/support/queue.js';
import { waitFor } from '../../../../test/support/receiver.js';
import type { Scene } from '../scene.js';
import type { State } from '../state.js';

/** The endpoint of the only customer, as the operator sees it. */
async function endpointOf({ malote }: Scene): Promise<string> {
  const { data }: { data: { id: string }[] } = JSON.parse(await malote('endpoints list --json'));
  return data[0]?.id ?? '';
}

const sendNow = {
  says: 'malote endpoints send-now <endpoint>',
  run: async (scene: Scene) => scene.malote(`endpoints send-now ${await endpointOf(scene)}`),
};

export const expiredCertificate: State = {
  what: "a receiver's certificate has expired",
  inject: ({ topology }) => topology.receiver.renew({ expired: true }),
  names: /hooks\.example\.com/,
  remedy: [{ says: 'Tell the customer', run: ({ topology }) => topology.receiver.renew({}) }, sendNow],
};

export const slowReceivers: State = {
  what: 'a receiver takes eight seconds for each answer',
  inject: async ({ topology }) => topology.receiver.answer(() => ({ status: 200, afterMs: 8_000 })),
  names: /hooks\.example\.com/,
  remedy: [
    {
      says: 'malote endpoints update <endpoint> --lanes',
      run: async (scene) => scene.malote(`endpoints update ${await endpointOf(scene)} --lanes 8`),
    },
    { says: 'Tell the customer', run: async ({ topology }) => topology.receiver.answer(() => ({ status: 200 })) },
  ],
};

export const growingDeadLetters: State = {
  what: 'the last attempts of deliveries fail',
  inject: async ({ topology, stage }) => {
    topology.receiver.answer(() => ({ status: 500 }));
    // Inserts three days of attempts.
    await waitFor(async () => {
      await sql`update webhook_deliveries set attempts_before = 9 where dead_at is null and attempts_before < 9 and exists (
        select from webhook_lanes where webhook_lanes.webhook_id = webhook_deliveries.webhook_id)`.execute(stage.db);
      await endPauses(stage.db);
      return (await deadLetters(stage.db)) > 0;
    }, 'a dead letter');
  },
  remedy: [
    { says: 'Tell the customer', run: async ({ topology }) => topology.receiver.answer(() => ({ status: 200 })) },
    {
      says: 'malote endpoints replay <endpoint> --dead-letters',
      run: async (scene) => scene.malote(`endpoints replay ${await endpointOf(scene)} --dead-letters --wait`),
    },
    sendNow,
  ],
};

export const silentNames: State = {
  what: 'no name server answers',
  inject: async ({ topology, names }) => {
    names.silentFor.add('all');
    // Open connections need no name.
    await topology.receiver.renew({});
  },
  remedy: [{ says: '/etc/resolv.conf', run: async ({ names }) => names.silentFor.clear() }],
};

const LIMIT = 2_500;
const CLIENTS = 3;
let isNoisy = false;
let noise: Promise<unknown> = Promise.resolve();
let noisyAccount = '';

export const noisyAccountState: State = {
  what: 'one account asks as fast as it is answered, beyond its budget of an hour',
  settings: { RATE_LIMIT_ACCOUNT_PER_HOUR: String(LIMIT) },
  inject: async ({ topology, stage }) => {
    const noisy = await newCustomer(stage, { ...topology.receiver, urlOf: () => topology.receiver.urlOf(1) });
    noisyAccount = noisy.accountId;
    const token = await accessToken(topology.url, noisy);
    isNoisy = true;
    let refused = 0;
    const client = async () => {
      while (isNoisy) {
        const answer = await ask(topology.url, 'GET', '/api/v1/users/me', { token }).catch(() => undefined);
        if (answer?.status === 429) refused += 1;
        await sleep(5);
      }
    };
    noise = Promise.all(Array.from({ length: CLIENTS }, client));
    await waitFor(() => refused > 0, 'a refusal', 600_000);
  },
  names: { test: (sign) => sign.includes(noisyAccount) },
  remedy: [
    {
      says: 'Tell the customer',
      run: async () => {
        isNoisy = false;
        await noise;
      },
    },
  ],
};
