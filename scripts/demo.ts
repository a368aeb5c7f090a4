/**
 * The main job from start to end, as a new customer and the operator see it. Exits non-zero when anything is missing,
 * doubled, out of order or invalid. `--seed` fills the last days of a small carrier before (`--orders` of them),
 * `--keep` leaves all of it running.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Mutation, Query, Waypoint } from '../generated/graphql.js';
import type { components as Operator } from '../generated/operator.js';
import type { components as Rest } from '../generated/rest.js';
import type { Config } from '../src/base/config.js';
import { type Clients, type Login, must, signedIn } from '../test/support/http.js';
import { waitFor } from '../test/support/receiver.js';
import { apiKeyOf, example, exampleText, graphql, type Receiver, startReceiver } from './demo/customer.js';
import { sayWhereToLook } from './demo/keep.js';
import { goLive, seededLines } from './demo/live.js';
import { type Seeded, seedDays } from './demo/seed.js';
import { openService, type Service } from './demo/service.js';

const say = (line: string): void => console.log(line);
const clock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 16);
const stop = ({ index, eta, legDistance }: Waypoint): string => `stop ${index} at ${clock(eta)}, ${legDistance} m`;

/** The operator opens an account and confirms its phone, without which there is no API key. */
async function openAccount(service: Service) {
  const { rest, operator } = await signedIn(service.url, service.operator);
  const input = await example<Rest['schemas']['UserCreate']>('create-user.json');
  const account = { ...input, email: `ana-${randomUUID().slice(0, 8)}@example.com` };
  const user = must(await rest.POST('/api/v1/users', { body: account }));
  must(await operator.POST('/operator/v1/users/{id}/phone-confirmation', { params: { path: { id: user.id } } }));
  say(`The operator opened the account of ${user.name} <${user.email}> and confirmed its phone.`);
  return { account, user, operator };
}

async function orderByRest(url: string, account: Login): Promise<void> {
  say('\nREST: signs in, creates a product and an order from it.');
  const { rest } = await signedIn(url, account);
  const body = { ...(await example<Rest['schemas']['ProductInput']>('create-product.json')), sku: 'DEMO-500' };
  const product = must(await rest.POST('/api/v1/products', { body }));
  const input = await example<Rest['schemas']['OrderCreate']>('create-order.json');
  const packages = input.packages.map(({ dimensions, ...rest }) => ({
    ...rest,
    items: [{ product_id: product.id, quantity: 2 }],
  }));
  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const order = must(await rest.POST('/api/v1/orders', { body: { ...input, packages }, params }));
  say(`  order ${order.id}: BRL ${order.pricing.total}, ${order.route.distance} m`);
  for (const { address, waypoint, promised_date } of order.packages) {
    say(`  ${address.address}: stop ${waypoint.index} at ${waypoint.eta}, promised for ${promised_date}`);
  }
}

async function orderByGraphql(url: string, account: Login): Promise<string[]> {
  say('\nGraphQL: signs in and creates an order with 2 pickups and 3 packages.');
  const authorization = `ApiKey ${account.email}:${await apiKeyOf(url, account)}`;
  const query = '{ paymentMethods { id } }';
  const { paymentMethods } = await graphql<Pick<Query, 'paymentMethods'>>(url, query, authorization);
  const mutation = await exampleText('create-order.graphql');
  const variables = { paymentMethod: paymentMethods[0]?.id };
  const { createOrder } = await graphql<Pick<Mutation, 'createOrder'>>(url, mutation, authorization, variables);
  const order = createOrder.orders[0];
  if (!createOrder.success || !order) throw new Error(`createOrder failed: ${JSON.stringify(createOrder.errors)}`);
  say(`  order ${order.pk}: BRL ${order.pricing.totalCm}`);
  for (const { loggiKey, pickupWaypoint, waypoint } of order.packages) {
    say(`  package ${loggiKey}: collected at ${stop(pickupWaypoint)}; delivered at ${stop(waypoint)}`);
  }
  return order.packages.map(({ loggiKey }) => loggiKey);
}

async function openReceiver(service: Service, operator: Clients['operator'], userId: string): Promise<Receiver> {
  const input = await example<Operator['schemas']['WebhookEndpointCreate']>('create-webhook-endpoint.json');
  const schema: object = JSON.parse(await (await fetch(`${service.url}/docs/tracking-webhook.schema.json`)).text());
  const receiver = await startReceiver({
    ...input,
    certificate: service.certificate,
    port: service.receiverPorts[0] ?? 0,
    schema,
  });
  const body = { ...input, user_id: userId, url: receiver.url };
  const { signing_secret: secret } = must(await operator.POST('/operator/v1/webhook-endpoints', { body }));
  receiver.expectSignature(secret);
  say(`\nWebhook: an HTTPS receiver with Basic authentication is registered at ${receiver.url}.`);
  return receiver;
}

type Movement = Operator['schemas']['MovementInput'];

/**
 * Records the example's movements for real packages, one after the other; resolves to the codes that each package went
 * through.
 */
async function move(operator: Clients['operator'], keys: string[]): Promise<Map<string, number[]>> {
  const { movements } = await example<{ movements: Movement[] }>('record-movements.json');
  const stands = [...new Set(movements.map(({ loggi_key }) => loggi_key))];
  const expected = new Map(keys.map((key) => [key, [1]]));
  for (const movement of movements) {
    const key = keys[stands.indexOf(movement.loggi_key)];
    if (!key) throw new Error('The order has fewer packages than the example moves.');
    const real: Movement = { ...movement, id: randomUUID(), loggi_key: key, happened_at: new Date().toISOString() };
    const { results } = must(await operator.POST('/operator/v1/movements', { body: { movements: [real] } }));
    if (results[0]?.result !== 'recorded') throw new Error(`A movement was not recorded: ${JSON.stringify(results)}`);
    expected.get(key)?.push(movement.status_code);
  }
  return expected;
}

const asText = (codes: Map<string, number[]>): string => JSON.stringify([...codes].sort());

async function settled(receiver: Receiver, expected: Map<string, number[]>): Promise<void> {
  const isComplete = () => asText(receiver.arrived) === asText(expected);
  await waitFor(isComplete, 'the notifications', 30_000).catch(() => undefined);
  // A doubled notification would come late.
  await sleep(500);
  if (!isComplete()) receiver.faults.push(`expected ${asText(expected)}, arrived ${asText(receiver.arrived)}`);
  if (receiver.faults.length > 0) throw new Error(`The webhook failed:\n  ${receiver.faults.join('\n  ')}`);
}

/** Resolves to the receiver, which goes on listening, and to the customer. */
async function story(service: Service): Promise<{ receiver: Receiver; customer: Login }> {
  const { account, user, operator } = await openAccount(service);
  const customer = { email: account.email, password: account.password };
  await orderByRest(service.url, customer);
  const receiver = await openReceiver(service, operator, user.id);
  try {
    const keys = await orderByGraphql(service.url, customer);
    say('\nThe packages move; the receiver gets:');
    const expected = await move(operator, keys);
    await settled(receiver, expected);
    const count = [...expected.values()].flat().length;
    say(`\nAll ${count} notifications arrived, each once, in order, signed and valid.`);
    return { receiver, customer };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

async function fill(config: Config, orders: number): Promise<Seeded> {
  say('The last 14 days of a small carrier with three shops are being made, which takes a minute.');
  const seeded = await seedDays(config, orders);
  const counts = Object.entries(seeded.counts).map(([what, count]) => `${what} ${count}`);
  say(`  ${counts.join(', ')}\n`);
  return seeded;
}

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    seed: { type: 'boolean', default: false },
    orders: { type: 'string', default: '300' },
  },
});
const ends: (() => Promise<void>)[] = [];
const signals = ['SIGINT', 'SIGTERM'] as const;
const stopped = Promise.race(signals.map((name) => once(process, name)));
// A signal comes several times, as make and npm pass it on. The data is removed nevertheless.
for (const name of signals) process.on(name, () => undefined);

async function play(): Promise<void> {
  let seeded: Seeded | undefined;
  const prepare = async (config: Config) => {
    seeded = await fill(config, Number(values.orders));
  };
  const service = await openService(process.env, values.seed ? prepare : undefined);
  ends.push(service.stop);
  const { receiver, customer } = await story(service);
  ends.push(receiver.close);
  if (seeded) ends.push(await goLive(service, seeded));
  if (values.keep) {
    await sayWhereToLook(service, customer, say, seeded ? await seededLines(service.url) : []);
    if (service.pid !== undefined) await stopped;
  }
}

try {
  await Promise.race([play(), stopped]);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const end of ends.reverse()) await end();
}
// Without this the demo would go on after a signal.
process.exit();
