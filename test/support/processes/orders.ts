import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAccount } from '../../../src/accounts/account.js';
import { hashPassword } from '../../../src/accounts/passwords.js';
import { isFields, parseJson } from '../../../src/base/values.js';
import { createEndpoint } from '../../../src/endpoints/endpoints.js';
import { orderBody, packageBody } from '../bodies.js';
import { accessToken, ask, type Login } from '../http.js';
import { between, type Random } from '../random.js';
import type { CheckingReceiver } from './checking-receiver.js';
import { expectThat, type Finding } from './judgement.js';
import type { Stage } from './stage.js';

export interface Customer extends Login {
  accountId: string;
}

/** A customer whose tracking updates go to the receiver. */
export async function newCustomer({ db, ring }: Stage, receiver: CheckingReceiver): Promise<Customer> {
  const email = `${randomUUID()}@malote.test`;
  const password = 'a password of a customer';
  const profile = { email, name: 'Ana Souza', phone: '+55 11 91234-5678', phoneConfirmed: true };
  const { id: accountId } = await createAccount(db, { ...profile, passwordHash: await hashPassword(password) });
  const credentials = { username: 'malote', password: 'p4ss' };
  const destination = { url: new URL(receiver.urlOf(0)), ...credentials };
  const { signingSecret } = await createEndpoint(db, ring, { accountId, destination });
  receiver.expect(destination.url.pathname, { ...credentials, signingSecret });
  return { accountId, email, password };
}

/** Clients that create orders, one after the other, each until it has an answer. */
export type OrderLoad = Awaited<ReturnType<typeof startOrderLoad>>;

// Time for the answer to a request from before the stop.
const PATIENCE_MS = 120_000;

const address = (number: number) => `Rua dos Pinheiros, ${number} - Pinheiros, São Paulo - SP, 05422-000`;

const orderOf = (packages: number) => ({
  ...orderBody(),
  packages: Array.from({ length: packages }, (_, number) => ({
    ...packageBody,
    address: { address: address(number + 10) },
  })),
});

/** Sends to where the API is now. A request without a 201 is sent again under its key, if it has one. */
export async function startOrderLoad(
  urlOf: () => string,
  customer: Customer,
  clients: number,
  { keyed = true }: { keyed?: boolean } = {},
) {
  const token = await accessToken(urlOf(), customer);
  /** Ids of the orders that were answered 201. */
  const created = new Set<string>();
  /** Milliseconds of each 201. */
  const latencies: number[] = [];
  /** Counts of other statuses; 0 stands for no answer at all. */
  const others = new Map<number, number>();
  /** When the last 201 came, in performance.now()'s time. */
  let lastCreated = 0;
  let stoppedAt = Infinity;

  const isCreated = async (order: object, key: string | undefined): Promise<boolean> => {
    const sent = performance.now();
    const { status, id } = await create(urlOf(), token, key, order);
    if (status === 201) {
      created.add(id);
      latencies.push(performance.now() - sent);
      lastCreated = performance.now();
      return true;
    }
    others.set(status, (others.get(status) ?? 0) + 1);
    await sleep(50);
    return false;
  };

  const client = async (): Promise<void> => {
    for (let number = 0; stoppedAt === Infinity; number += 1) {
      const order = orderOf(1 + (number % 3));
      const key = keyed ? randomUUID() : undefined;
      const isSettled = async () => (await isCreated(order, key)) || !keyed;
      while (performance.now() < stoppedAt + PATIENCE_MS && !(await isSettled()));
    }
  };

  const running = Array.from({ length: clients }, client);
  const stop = async () => {
    stoppedAt = performance.now();
    await Promise.all(running);
  };
  return { created, others, latencies, lastCreated: () => lastCreated, stop };
}

async function create(url: string, token: string, key: string | undefined, body: object) {
  try {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    const { status, text } = await ask(url, 'POST', '/api/v1/orders', { token, headers, body });
    // A proxy between may answer in its own form.
    const answer = parseJson(text);
    return { status, id: isFields(answer) ? String(answer['id'] ?? '') : '' };
  } catch {
    return { status: 0, id: '' };
  }
}

type OrderCount = Awaited<ReturnType<typeof countOrders>>;

/** Orders of the database, compared with the answers. */
export async function countOrders({ db }: Stage, created: ReadonlySet<string>) {
  const rows = await db.selectFrom('orders').select('id').execute();
  const ids = new Set(rows.map(({ id }) => id));
  const { rows: batches } = await sql<{ size: number }>`
    select count(*)::integer as size from orders group by xmin order by size desc limit 1`.execute(db);
  const { rows: orphans } = await sql<{ count: number }>`
    select ((
      select count(*) from orders where package_count <> (select count(*) from packages where order_id = orders.id)
    ) + (
      select count(*) from packages where not exists (select 1 from movements where loggi_key = packages.loggi_key)
    ) + (
      select count(*) from movements where not exists (
        select 1 from webhook_notifications waiting where waiting.loggi_key = movements.loggi_key and waiting.seq = movements.seq
      ) and not exists (
        select 1 from webhook_deliveries where position(movements.loggi_key::text in convert_from(body, 'UTF8')) > 0
      )
    ))::integer as count`.execute(db);
  return {
    orders: ids.size,
    // The most that went in together, as far as they have not changed since.
    together: batches[0]?.size ?? 0,
    // Answered 201 and not there; there and never answered 201.
    missing: [...created].filter((id) => !ids.has(id)).length,
    surplus: [...ids].filter((id) => !created.has(id)).length,
    // Rows that lack packages, a movement or a notification.
    orphans: orphans[0]?.count ?? 0,
  };
}

/** The breaches of promises that always hold: a 201 means one complete order, and nothing more. */
export function breachesOfOrders({ missing, surplus, orphans, together }: OrderCount): string[] {
  return [
    ...(together < 2 ? ['no two orders went together: the load is not what is to be tried'] : []),
    ...(missing > 0 ? [`${missing} orders were answered 201 and are not there`] : []),
    ...(surplus > 0 ? [`${surplus} orders are there twice, or though no answer said so`] : []),
    ...(orphans > 0 ? [`${orphans} orders, packages or movements lack what belongs to them`] : []),
  ];
}

const CLIENTS = 12;

/** Kills the API while clients create orders; they ask again, under the same idempotency key. */
export async function killApi({ stage, random }: { stage: Stage; random: Random }, kills: number): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  let api = await stage.start('api --no-sender', [receiver.port]);
  const load = await startOrderLoad(() => api.url, customer, CLIENTS);
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(between(random, 300, 1_200));
    await api.signal('SIGKILL');
    api = await stage.start('api --no-sender', [receiver.port]);
  }
  return endLoad(stage, load, kills);
}

/** Ends the load, and checks its results after so many kills of the answering process. */
async function endLoad(stage: Stage, load: OrderLoad, kills: number): Promise<Finding> {
  await sleep(500);
  await load.stop();
  const count = await countOrders(stage, load.created);
  const unexpected = [...load.others.keys()].filter((status) => ![0, 409, 503].includes(status));
  return {
    figures: `${kills} kills, ${load.others.get(0) ?? 0} requests cut off, ${load.created.size} orders created: missing ${count.missing}, twice ${count.surplus}, orphans ${count.orphans}, together ${count.together} at most`,
    breaches: [...breachesOfOrders(count), ...expectThat(unexpected.length === 0, `answers with ${unexpected.join()}`)],
  };
}
