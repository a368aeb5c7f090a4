import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAccount, hashPassword } from '../../../src/accounts/users.js';
import { createEndpoint } from '../../../src/deliveries/endpoints.js';
import type { CheckingReceiver } from './checking-receiver.js';
import type { Stage } from './stage.js';

export interface Customer {
  accountId: string;
  email: string;
  password: string;
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
export interface OrderLoad {
  /** Ids of the orders that were answered 201. */
  created: Set<string>;
  /** How often each other status was answered; 0 stands for no answer at all. */
  others: Map<number, number>;
  /** When the last 201 came, in performance.now()'s time. */
  lastCreated(): number;
  stop(): Promise<void>;
}

// For an answer to what was begun before the stop.
const PATIENCE_MS = 15_000;

const address = (number: number) => `Rua dos Pinheiros, ${number} - Pinheiros, São Paulo - SP, 05422-000`;

const body = (packages: number) => ({
  external_id: randomUUID(),
  pickups: [{ address: { address: address(1) } }],
  packages: Array.from({ length: packages }, (_, number) => ({
    pickup_index: 0,
    recipient: { name: 'Bruno Lima', phone: '+55 11 98888-7777' },
    address: { address: address(number + 10) },
    dimensions: { width: 20, height: 10, length: 30, weight: 1_200 },
  })),
});

/** `urlOf` tells where the API is now. What gets no 201 is asked again under its idempotency key. */
export async function startOrderLoad(urlOf: () => string, customer: Customer, clients: number): Promise<OrderLoad> {
  const token = await signIn(urlOf(), customer);
  const created = new Set<string>();
  const others = new Map<number, number>();
  let lastCreated = 0;
  let stoppedAt = Infinity;

  const ask = async (order: object, key: string): Promise<boolean> => {
    const { status, id } = await post(urlOf(), token, key, order);
    if (status === 201) {
      created.add(id);
      lastCreated = performance.now();
      return true;
    }
    others.set(status, (others.get(status) ?? 0) + 1);
    await sleep(50);
    return false;
  };

  const client = async (): Promise<void> => {
    for (let number = 0; stoppedAt === Infinity; number += 1) {
      const order = body(1 + (number % 3));
      const key = randomUUID();
      while (performance.now() < stoppedAt + PATIENCE_MS && !(await ask(order, key)));
    }
  };

  const running = Array.from({ length: clients }, client);
  const stop = async () => {
    stoppedAt = performance.now();
    await Promise.all(running);
  };
  return { created, others, lastCreated: () => lastCreated, stop };
}

async function signIn(url: string, { email, password }: Customer): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  const { access_token: token }: { access_token?: string } = JSON.parse(await answer.text());
  if (!token) throw new Error(`login answered ${answer.status}`);
  return token;
}

async function post(url: string, token: string, key: string, order: object): Promise<{ status: number; id: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'idempotency-key': key };
  try {
    const answer = await fetch(`${url}/api/v1/orders`, { method: 'POST', headers, body: JSON.stringify(order) });
    const { id = '' }: { id?: string } = JSON.parse(await answer.text());
    return { status: answer.status, id };
  } catch {
    return { status: 0, id: '' };
  }
}

/** What is in the database of orders, held against what was answered. */
export interface OrderCount {
  orders: number;
  /** Answered 201 and not there. */
  missing: number;
  /** There, and never answered 201. */
  surplus: number;
  /** Orders without all of their packages, packages without a movement, movements nobody was or will be notified of. */
  orphans: number;
}

export async function countOrders({ db }: Stage, created: ReadonlySet<string>): Promise<OrderCount> {
  const rows = await db.selectFrom('orders').select('id').execute();
  const ids = new Set(rows.map(({ id }) => id));
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
    missing: [...created].filter((id) => !ids.has(id)).length,
    surplus: [...ids].filter((id) => !created.has(id)).length,
    orphans: orphans[0]?.count ?? 0,
  };
}

/** The breaches of what holds whatever happens: a 201 means an order with all that belongs to it, and only that. */
export function breachesOfOrders({ missing, surplus, orphans }: OrderCount): string[] {
  return [
    ...(missing > 0 ? [`${missing} orders were answered 201 and are not there`] : []),
    ...(surplus > 0 ? [`${surplus} orders are there twice, or though nobody was told`] : []),
    ...(orphans > 0 ? [`${orphans} orders, packages or movements lack what belongs to them`] : []),
  ];
}
