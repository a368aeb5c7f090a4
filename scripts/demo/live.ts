import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, startReceiver } from '../../src/cli/local/listen/receiver.js';
import { type Clients, must, signedIn } from '../../test/support/http.js';
import { waitFor } from '../../test/support/receiver.js';
import { REFUSED_ADDRESS, type Shop, shops } from './carrier.js';
import { apiKeyOf } from './customer.js';
import { happen, type Seeded, sessionsAt } from './seed.js';
import type { Service } from './service.js';

/** The present of a seeded carrier: its shops' receivers hear of the newest movements, one with a dead letter. */

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 100;

const answers: readonly (readonly [Shop, Answer])[] = [
  [shops.listening, 200],
  [shops.failing, 500],
  [shops.gone, 410],
];

/** Resolves to a function that ends the receivers. */
export async function goLive(service: Service, { accounts, live }: Seeded): Promise<() => Promise<void>> {
  const operator = await signedIn(service.url, service.operator);
  const receivers = await Promise.all(
    answers.map(async ([shop, answer], at) => {
      const plan = { userId: accounts.get(shop) ?? '', port: service.receiverPorts[at + 1], answer };
      return { shop, ...(await openReceiver(service, operator, plan)) };
    }),
  );
  const sessions = sessionsAt(service.url);
  const go = (events: Seeded['live']) => happen(events, service.operator, async () => sessions);
  const isFailing = ({ shop }: { shop: Shop }) => shop === shops.failing;
  await go(live.filter(isFailing));
  const failing = receivers.find(isFailing);
  if (failing && live.some(isFailing)) await giveUpOne(operator, failing.endpointId);
  await go(live.filter((event) => !isFailing(event)));
  return async () => void (await Promise.all(receivers.map(({ close }) => close())));
}

interface ReceiverPlan {
  userId: string;
  port: number | undefined;
  answer: Answer;
}

async function openReceiver(service: Service, { operator }: Clients, { userId, port = 0, answer }: ReceiverPlan) {
  const { cert, key } = service.certificate;
  const basic = { username: 'malote', password: 's3cr3t-of-the-receiver' };
  const receiver = await startReceiver({ cert, key, port, answer, ...basic, onArrival: () => undefined });
  const body = { ...basic, user_id: userId, url: receiver.url };
  const { endpoint } = must(await operator.POST('/operator/v1/webhook-endpoints', { body }));
  return { endpointId: endpoint.id, close: receiver.close };
}

/**
 * Makes a dead letter in seconds: each attempt that waits is asked for at once, until the service gives the body up.
 */
async function giveUpOne({ operator }: Clients, id: string): Promise<void> {
  const isGivenUp = async () => {
    await operator.POST('/operator/v1/send-now', { body: { endpoint_id: id } });
    await sleep(LOOK_EVERY_MS);
    const call = operator.GET('/operator/v1/webhook-endpoints/{id}', { params: { path: { id } } });
    return must(await call).dead_letter_count > 0;
  };
  await waitFor(isGivenUp, 'a dead letter', PATIENCE_MS);
}

/** A line for each shop with its sign-in and API key, then an address that is not served, and the cut-off. */
export async function seededLines(url: string): Promise<string[]> {
  const logins = await Promise.all(
    Object.values(shops).map(async ({ name, email, password }) => {
      const key = await apiKeyOf(url, { email, password });
      return `  ${name.padEnd(18)}${email}, password: ${password}, API key: ${key}`;
    }),
  );
  return [
    ...logins,
    `  ${'not served'.padEnd(18)}${REFUSED_ADDRESS}: try it at /envios/new-order`,
    `  ${'cut-off'.padEnd(18)}orders from 11:00 on are collected on the next workday; see /console/calendars`,
  ];
}
