import { randomUUID } from 'node:crypto';
import { createApp } from '../../src/app/index.js';
import { withDatabase } from '../../src/app/run.js';
import { databaseTime } from '../../src/base/clock.js';
import { type Config, MAX_TOKEN_TTL_SECONDS } from '../../src/base/config.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { type Clients, type Login, must, signedIn } from '../../test/support/http.js';
import { randomFrom } from '../../test/support/random.js';
import { areas, calendarFrom, DAYS, type PlannedOrder, planOrders, type Shop, shops } from './carrier.js';
import { courseOf, type Plot, plotOf, type Step } from './course.js';
import { demandTrial, enterPast } from './past.js';

/**
 * The last days of a small carrier, by published operations only: the service that takes them lives in a past that goes
 * on to the present, so that orders, movements and answers have their own times.
 */

/** A change of a package or of its order, and when it comes. */
export interface Event {
  at: number;
  shop: Shop;
  loggiKey: string;
  /** Undefined when its order is cancelled. */
  step?: Step;
  orderId: string;
}

export interface Seeded {
  counts: Record<string, number>;
  /** Ids of the shops' accounts. */
  accounts: ReadonlyMap<Shop, string>;
  /** The newest events, which have happened by now and are not recorded yet. */
  live: Event[];
}

const SEED = 20_261_118;
const DAY_MS = 86_400_000;
const LIVE = 60;
const MOVEMENTS_AT_ONCE = 500;
/** Movements so near each other are reported together. */
const TOGETHER_MS = 20 * 60_000;
const ONE_IN_CANCELLED = 25;
const ONE_IN_STUCK = 12;
const STUCK_DAYS = 7;
const ONE_IN_PROBLEM = 24;
const ONE_IN_NEW_PROBLEM = 9;
const NEW_DAYS = 4;

/** Fills an empty database that is there to be tried out. Throws ConfigError for any other. */
export async function seedDays(given: Config, count: number, now = Date.now()): Promise<Seeded> {
  demandTrial(given);
  const log = createLog({ level: given.logLevel });
  const { config, stop } = await withDatabase(given, log);
  const url = config.databaseUrl ?? '';
  try {
    await migrate(url, log);
    const past = await enterPast(url);
    const begin = now - (DAYS + 1) * DAY_MS;
    try {
      await past.goTo(begin);
      const unlimited = { rateLimitAccountPerHour: 0, rateLimitPublicPerHour: 0, port: 0, internalPort: 0 };
      const app = await createApp(
        { ...config, ...unlimited, accessTokenTtlSeconds: MAX_TOKEN_TTL_SECONDS },
        // Its log says that the clock of this machine is wrong; what else fails is thrown.
        { worker: false, clock: () => new Date(databaseTime()), log: createLog({ level: 'silent' }) },
      );
      try {
        return await fill({ url: app.url ?? '', operator: operatorOf(config), goTo: past.goTo }, count, now);
      } finally {
        await app.stop();
      }
    } finally {
      await past.leave();
    }
  } finally {
    await stop();
  }
}

const operatorOf = ({ operatorEmail: email, operatorPassword: password = '' }: Config): Login => ({ email, password });

interface Stage {
  url: string;
  operator: Login;
  goTo(time: number): Promise<void>;
}

async function fill({ url, operator, goTo }: Stage, count: number, now: number): Promise<Seeded> {
  const sessions = sessionsAt(url);
  const accounts = new Map<Shop, string>();
  for (const shop of Object.values(shops)) accounts.set(shop, await openAccount(await sessions(operator), shop));
  const events: Event[] = [];
  const plan = planOrders(randomFrom(SEED), now, count);
  for (const [at, planned] of plan.entries()) {
    await goTo(planned.at);
    events.push(...(await place(await sessions(planned.shop), planned, at, now)));
  }
  const past = events.filter(({ at }) => at < now).sort((one, other) => one.at - other.at);
  const live = past.splice(-LIVE);
  const upTo = async (time: number) => {
    await goTo(time);
    return sessions;
  };
  await happen(past, operator, upTo);
  await goTo(now);
  const carrier = (await sessions(operator)).operator;
  must(await carrier.POST('/operator/v1/service-areas', { body: { areas } }));
  must(await carrier.POST('/operator/v1/calendars', { body: calendarFrom(now) }));
  const codes = past.concat(live).filter(({ step }) => step && 'movement' in step);
  const packages = plan.reduce((sum, each) => sum + each.packages.length, 0);
  const counts = { shops: accounts.size, orders: count, packages, movements: codes.length };
  return { counts, accounts, live };
}

type Sessions = (login: Login) => Promise<Clients>;

/** Clients by login, with a new token on each new day. */
export function sessionsAt(url: string): Sessions {
  const clients = new Map<string, Promise<Clients>>();
  return (login) => {
    const key = `${login.email} ${Math.floor((2 * databaseTime()) / DAY_MS)}`;
    const session = clients.get(key) ?? signedIn(url, login);
    clients.set(key, session);
    return session;
  };
}

async function openAccount({ rest, operator }: Clients, { name, email, password }: Shop): Promise<string> {
  const body = { name, email, phone: '+55 11 4002-8922', password };
  const { id } = must(await rest.POST('/api/v1/users', { body }));
  must(await operator.POST('/operator/v1/users/{id}/phone-confirmation', { params: { path: { id } } }));
  return id;
}

/** Places an order; resolves to all that will happen to it. */
async function place({ rest }: Clients, planned: PlannedOrder, number: number, now: number): Promise<Event[]> {
  const { shop, at, service, externalId: external_id } = planned;
  const { name, state, postalCode } = shop.city;
  const sender = { address: `Rua do Comércio, 100 - Centro, ${name} - ${state}, ${postalCode}` };
  const packages = planned.packages.map(({ to: _, ...each }) => ({ pickup_index: 0, ...each }));
  const body = { external_id, service, pickups: [{ address: sender }], packages };
  const order = must(await rest.POST('/api/v1/orders', { body }));
  const ofOrder = { shop, orderId: order.id };
  const random = randomFrom(SEED + number);
  if (number % ONE_IN_CANCELLED === ONE_IN_CANCELLED - 1) {
    return [{ ...ofOrder, at: at + 25 * 60_000, loggiKey: '' }];
  }
  // However few the orders are, some packages are late, and some wait for a person.
  const isStuck = number % ONE_IN_STUCK === 5 && at < now - STUCK_DAYS * DAY_MS;
  const isProblem = number % (at > now - NEW_DAYS * DAY_MS ? ONE_IN_NEW_PROBLEM : ONE_IN_PROBLEM) === 2;
  return order.packages.flatMap((placed, index) => {
    const usual = plotOf(random);
    const plot: Plot = isStuck ? 'stuck' : isProblem ? 'problem' : usual;
    const source = planned.packages[index];
    const steps = source ? courseOf(random, plot, shop.city, source, placed) : [];
    return steps.map((step) => ({ ...ofOrder, at: step.at, loggiKey: placed.loggi_key, step }));
  });
}

/** Lets events happen in their order; `upTo` leads to the time of the next ones. */
export async function happen(
  events: readonly Event[],
  operator: Login,
  upTo: (time: number) => Promise<Sessions>,
): Promise<void> {
  const waiting = [...events];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const together = [next];
    const until = next.at + TOGETHER_MS;
    while (isMovement(next) && together.length < MOVEMENTS_AT_ONCE) {
      const [other] = waiting;
      if (!other || !isMovement(other) || other.at > until) break;
      together.push(other);
      waiting.shift();
    }
    const sessions = await upTo((together.at(-1) ?? next).at);
    if (isMovement(next)) await record(await sessions(operator), together);
    else await act(next, sessions, operator);
  }
}

const isMovement = ({ step }: Event): boolean => step !== undefined && 'movement' in step;

async function record({ operator }: Clients, events: readonly Event[]): Promise<void> {
  const movements = events.flatMap(({ step, loggiKey: loggi_key }) =>
    step && 'movement' in step ? { ...step.movement, id: randomUUID(), loggi_key } : [],
  );
  const { results } = must(await operator.POST('/operator/v1/movements', { body: { movements } }));
  const refused = results.find(({ result }) => result !== 'recorded');
  if (refused) throw new Error(`A movement was not recorded: ${JSON.stringify(refused)}`);
}

async function act({ step, shop, orderId, loggiKey }: Event, sessions: Sessions, login: Login): Promise<void> {
  const { rest } = await sessions(shop);
  if (!step) {
    const params = { path: { id: orderId } };
    must(await rest.PUT('/api/v1/orders/{id}/status', { params, body: { status: 'cancelled' } }));
  } else if ('answer' in step) {
    const params = { path: { loggi_key: loggiKey } };
    must(await rest.POST('/api/v1/packages/{loggi_key}/answers', { params, body: { note: step.answer } }));
  } else if ('done' in step) {
    const { operator } = await sessions(login);
    const query = { state: 'open', loggi_key: loggiKey } as const;
    const { data } = must(await operator.GET('/operator/v1/tasks', { params: { query } }));
    for (const { id } of data) {
      const params = { path: { id } };
      must(await operator.POST('/operator/v1/tasks/{id}/completion', { params, body: { note: step.done } }));
    }
  }
}
