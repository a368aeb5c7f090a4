import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { components as Operator } from '../../generated/operator.js';
import type { components as Rest } from '../../generated/rest.js';
import { type Answer, startReceiver } from '../../src/cli/local/listen/receiver.js';
import { accessToken, clientsFor, must } from '../../test/support/http.js';
import { randomFrom } from '../../test/support/random.js';
import { waitFor } from '../../test/support/receiver.js';
import { type PlannedOrder, planDay, type Shop, shops } from './carrier.js';
import type { Service } from './service.js';

/**
 * A day of a small carrier, by published operations only. An order's time is when it is created, and no movement comes
 * before its order: the whole day is of this minute, and nothing is late by its promised date.
 */

type Clients = ReturnType<typeof clientsFor>;
type Order = Rest['schemas']['Order'];
type Movement = Operator['schemas']['MovementInput'];

/** Of everything that the API takes while nobody waits for it. */
const AT_ONCE = 6;
const MOVEMENTS_AT_ONCE = 500;
const SEED = 20_261_118;
const SHOP_PASSWORD = 'a password of the shop';
const PATIENCE_MS = 60_000;

interface SeededDay {
  /** Numbers of what there is now. */
  counts: Record<string, number>;
  /** Ends the receivers. */
  close(): Promise<void>;
}

/**
 * Fills the service with so many orders. Throws where somebody else started the service: it may be one that customers
 * use.
 */
export async function seedDay(service: Service, count: number): Promise<SeededDay> {
  if (service.pid === undefined) throw new Error('SEED=1 fills a service of its own only: unset MALOTE_URL.');
  const operator = clientsFor(service.url, await accessToken(service.url, service.operator));
  const accounts = new Map<Shop, Account>();
  for (const shop of Object.values(shops)) accounts.set(shop, await openAccount(service.url, operator, shop));
  const plan = planDay(randomFrom(SEED), count);
  const clientOf = ({ shop }: PlannedOrder): Clients => accounts.get(shop)?.clients ?? operator;

  const answers: [Shop, Answer][] = [
    [shops.listening, 200],
    [shops.failing, 500],
    [shops.gone, 410],
  ];
  const receivers = await Promise.all(
    answers.map(([shop, answer], at) =>
      openReceiver(service, operator, {
        userId: accounts.get(shop)?.id ?? '',
        port: service.receiverPorts[at + 1],
        answer,
      }),
    ),
  );
  const first = plan.findIndex(({ shop }) => shop === shops.failing);
  const early = plan.splice(first, 1);
  const placed = await inTurns(early, (order) => place(clientOf(order), order));
  await giveUpOne(operator, receivers[1]?.endpointId ?? '');
  placed.push(...(await inTurns(plan, (order) => place(clientOf(order), order))));
  const moved = await moveAll(operator, placed);
  const tasks = await answerProblems(placed, clientOf);
  const cancelled = placed.filter(({ planned }) => planned.isCancelled);
  return {
    counts: {
      shops: accounts.size,
      orders: placed.length,
      'orders cancelled': cancelled.length,
      packages: placed.reduce((sum, { order }) => sum + order.packages.length, 0),
      movements: moved,
      tasks,
      endpoints: receivers.length,
    },
    close: async () => void (await Promise.all(receivers.map(({ close }) => close()))),
  };
}

interface Account {
  id: string;
  clients: Clients;
}

async function openAccount(url: string, { rest, operator }: Clients, { name, email }: Shop): Promise<Account> {
  const body = { name, email, phone: '+55 11 4002-8922', password: SHOP_PASSWORD };
  const { id } = must(await rest.POST('/api/v1/users', { body }));
  must(await operator.POST('/operator/v1/users/{id}/phone-confirmation', { params: { path: { id } } }));
  return { id, clients: clientsFor(url, await accessToken(url, { email, password: SHOP_PASSWORD })) };
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

/** Resolves to what the work on each resolved to; some at once, in the order of the list. */
async function inTurns<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...list];
  const turns = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await work(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, turns));
  return results;
}

interface Placed {
  planned: PlannedOrder;
  order: Order;
}

async function place({ rest }: Clients, planned: PlannedOrder): Promise<Placed> {
  const { name, state, postalCode } = planned.shop.city;
  const sender = { address: `Rua do Comércio, 100 - Centro, ${name} - ${state}, ${postalCode}` };
  const packages = planned.packages.map(({ recipient, address, dimensions }) => {
    return { pickup_index: 0, recipient, address, dimensions };
  });
  const body = { external_id: planned.externalId, pickups: [{ address: sender }], packages };
  const order = must(await rest.POST('/api/v1/orders', { body }));
  if (planned.isCancelled) {
    const params = { path: { id: order.id } };
    must(await rest.PUT('/api/v1/orders/{id}/status', { params, body: { status: 'cancelled' } }));
  }
  return { planned, order };
}

const LOOK_EVERY_MS = 100;

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

/** Resolves to the number of movements. */
async function moveAll({ operator }: Clients, placed: readonly Placed[]): Promise<number> {
  const now = Date.now();
  const movements = placed.filter(({ planned }) => !planned.isCancelled).flatMap((each) => movementsOf(each, now));
  for (let at = 0; at < movements.length; at += MOVEMENTS_AT_ONCE) {
    const body = { movements: movements.slice(at, at + MOVEMENTS_AT_ONCE) };
    const { results } = must(await operator.POST('/operator/v1/movements', { body }));
    const refused = results.find(({ result }) => result !== 'recorded');
    if (refused) throw new Error(`A movement was not recorded: ${JSON.stringify(refused)}`);
  }
  return movements.length;
}

/** At even distances from the order's time until now. */
function movementsOf({ planned, order }: Placed, now: number): Movement[] {
  const from = Date.parse(order.created_at);
  return planned.packages.flatMap(({ way, to, address, recipient }, at) =>
    way.map(([status_code, where], step): Movement => {
      const { name: city, state } = where === 'origin' ? planned.shop.city : to;
      return {
        id: randomUUID(),
        loggi_key: order.packages[at]?.loggi_key ?? '',
        status_code,
        happened_at: new Date(from + ((now - from) * (step + 1)) / (way.length + 1)).toISOString(),
        location: { city, state },
        ...(status_code === 5 && { proof: { recipient_name: recipient.name, recipient_document: '4821' } }),
        ...(status_code === 6 && { action_required: incomplete }),
        ...(status_code === 10 && {
          pickup_agency: { address: address.address, city, state, postal_code: to.postalCode.replace('-', '') },
        }),
      };
    }),
  );
}

/** The shops answer to what their packages wait for; resolves to how many such tasks there are. */
async function answerProblems(placed: readonly Placed[], clientOf: (order: PlannedOrder) => Clients): Promise<number> {
  const waiting = placed.flatMap(({ planned, order }) =>
    planned.packages.flatMap(({ way }, at) => {
      const loggi_key = order.packages[at]?.loggi_key;
      return way.at(-1)?.[0] === 6 && loggi_key !== undefined && !planned.isCancelled ? { planned, loggi_key } : [];
    }),
  );
  for (const { planned, loggi_key } of waiting) {
    const params = { path: { loggi_key } };
    const body = { note: 'O número está certo; a entrada é pela rua de trás.' };
    must(await clientOf(planned).rest.POST('/api/v1/packages/{loggi_key}/answers', { params, body }));
  }
  return waiting.length;
}

const incomplete: Operator['schemas']['ActionRequired'] = {
  reason_label: 'Endereço incompleto',
  reason_description: 'O número do endereço não foi encontrado. Confirme o endereço completo.',
};
