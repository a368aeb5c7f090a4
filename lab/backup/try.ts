/**
 * Backs up a service under load, destroys its database, restores it to a point in time, and uses it again: npx tsx
 * lab/backup/try.ts [--seconds 12] [--clients 6]. Needs Debian's postgresql-15 and pgbackrest. Prints the figures of
 * docs/backup.md. Ends with 1 if something acknowledged before the point is missing, or if a code is given twice after
 * numbers were skipped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { accessToken } from '../../test/support/http.js';
import type { Arrival } from '../../test/support/processes/checking-receiver.js';
import { fromSource } from '../../test/support/processes/child.js';
import { newCustomer } from '../../test/support/processes/orders.js';
import { openStageOn } from '../../test/support/processes/stage.js';
import { waitFor } from '../../test/support/receiver.js';
import { operatorLogin } from '../../test/support/service.js';
import { newRequest, type PlacedOrder, placeOrder, startLoad } from './load.js';
import { missingPackages, openArchivedServer, rowsOf } from './server.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '12' }, clients: { type: 'string', default: '6' } },
});
const [seconds, clients] = [Number(values.seconds), Number(values.clients)];
const ARCHIVE_SECONDS = 5;
const NEW_ORDERS = 300;
const MAX_MS = 600_000;

/** Skips numbers as docs/backup.md says. Skipping too many does no harm; giving a number twice does. */
const SKIP_NUMBERS = `select setval('package_number', (select last_value from package_number) + 10000000)`;

const breaches: string[] = [];
const say = (what: string, figure: string | number): void => console.log(`${what.padEnd(64)} ${figure}`);
const demandNone = (what: string, count: number): void => {
  say(what, count);
  if (count > 0) breaches.push(what);
};

const missing = await missingPackages();
if (missing.length > 0) {
  console.error(`lab/backup/try.ts: install what it needs first: apt-get install ${missing.join(' ')}`);
  process.exit(1);
}
const server = await openArchivedServer(ARCHIVE_SECONDS);
const stage = await openStageOn(server.url, fromSource);

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  say(what, `${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

const idsIn = async (table: 'orders' | 'movements'): Promise<Set<string>> =>
  new Set((await rowsOf<{ id: string }>(server.url, `select id from ${table}`)).map(({ id }) => id));

/** Expects everything that was acknowledged before the point, and nothing that was sent after it. */
async function judgeRestored(placed: readonly PlacedOrder[], point: number): Promise<PlacedOrder[]> {
  const [orders, movements] = [await idsIn('orders'), await idsIn('movements')];
  const moved = placed.flatMap((order) => order.moved ?? []);
  const before = placed.filter(({ answeredAt }) => answeredAt < point);
  const lost = placed.filter(({ id }) => !orders.has(id));
  say('orders acknowledged before the point, after it', `${before.length}, ${placed.length - before.length}`);
  demandNone('orders acknowledged before the point and missing', before.filter(({ id }) => !orders.has(id)).length);
  const movedBefore = moved.filter(({ answeredAt }) => answeredAt < point);
  say('movements acknowledged before the point', movedBefore.length);
  demandNone(
    'movements acknowledged before the point and missing',
    movedBefore.filter(({ id }) => !movements.has(id)).length,
  );
  demandNone(
    'orders sent after the point and there',
    placed.filter(({ id, sentAt }) => sentAt > point && orders.has(id)).length,
  );
  say('orders acknowledged and lost, all after the point', lost.length);
  if (before.length === 0 || lost.length === 0) breaches.push('there was no load on both sides of the point');
  return lost;
}

async function untilSent(): Promise<void> {
  const text = 'select count(*)::integer as waiting from webhook_notifications';
  const isEmpty = async () => (await rowsOf<{ waiting: number }>(server.url, text))[0]?.waiting === 0;
  await waitFor(isEmpty, 'everything to be sent', MAX_MS);
}

const entriesOf = (arrivals: readonly Arrival[]): string[] =>
  arrivals.flatMap(({ entries }) => entries.map(({ loggiKey, updatedTime }) => `${loggiKey} ${updatedTime}`));

/** Counts the deliveries that a receiver gets twice. */
function judgeSentAgain(earlier: readonly Arrival[], later: readonly Arrival[]): void {
  const digests = new Map(earlier.map(({ webhookId, digest }) => [webhookId, digest]));
  const repeated = later.filter(({ webhookId }) => digests.has(webhookId));
  const known = new Set(entriesOf(earlier));
  const renamed = later.filter(({ webhookId }) => !digests.has(webhookId));
  say('deliveries sent again under the webhook-id that they had', repeated.length);
  demandNone(
    'of them with other bytes',
    repeated.filter(({ webhookId, digest }) => digests.get(webhookId) !== digest).length,
  );
  say('movements told again under another webhook-id', entriesOf(renamed).filter((entry) => known.has(entry)).length);
}

const codesOf = (orders: readonly { codes: string[] }[]): Set<string> => new Set(orders.flatMap(({ codes }) => codes));

async function placeMany(url: string, token: string, count: number) {
  const orders = [];
  for (let at = 0; at < count; at += 1) orders.push(await placeOrder(url, token, newRequest()));
  return orders;
}

async function run(): Promise<void> {
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  // At any time some deliveries wait for their second attempt.
  const refused = new Set<string>();
  receiver.answer(({ webhookId }) => {
    if (refused.has(webhookId) || receiver.arrivals.length % 5 !== 0) return { status: 200 };
    refused.add(webhookId);
    return { status: 503 };
  });
  const service = await stage.start('api', [receiver.port]);
  const load = await startLoad(service.url, customer, operatorLogin, clients);
  await timed('a full backup under load', server.backUp);
  await sleep((seconds * 1000) / 2);
  const [point, segment] = [new Date(), await server.segment()];
  await sleep((seconds * 1000) / 2);
  await timed(`until a restore could come to the point (archive_timeout ${ARCHIVE_SECONDS} s)`, () =>
    waitFor(() => server.hasArchived(segment), 'the archive', MAX_MS),
  );
  await server.destroy();
  await load.stop();
  await service.signal();
  const earlier = receiver.arrivals.filter(({ acknowledged }) => acknowledged);

  await timed('restored, until writes are taken', () => server.restore(point));
  const lost = await judgeRestored(load.placed, point.getTime());
  receiver.answer(() => ({ status: 200 }));
  const restored = await stage.start('api', [receiver.port]);
  await timed('until everything that waits is sent', untilSent);
  judgeSentAgain(earlier, receiver.arrivals.slice(earlier.length));

  const token = await accessToken(restored.url, customer);
  const survivor = load.placed.find((order) => !lost.includes(order));
  if (survivor) {
    const { id, isReplay } = await placeOrder(restored.url, token, survivor.request);
    demandNone('a key of before the point that places another order', Number(id !== survivor.id || !isReplay));
  }
  const [victim] = lost;
  if (victim)
    say(
      'a key of after the point places',
      (await placeOrder(restored.url, token, victim.request)).isReplay ? 'nothing' : 'a new order',
    );
  const given = codesOf(lost);
  const repeatedOf = (orders: readonly { codes: string[] }[]) =>
    orders.filter(({ codes }) => codes.some((code) => given.has(code))).length;
  say(
    `of ${NEW_ORDERS} new orders, with codes of a lost package`,
    repeatedOf(await placeMany(restored.url, token, NEW_ORDERS)),
  );
  await restored.signal('SIGTERM');
  await rowsOf(server.url, SKIP_NUMBERS);
  const skipped = await stage.start('api', [receiver.port]);
  demandNone(
    `the same, numbers skipped before the service is started`,
    repeatedOf(await placeMany(skipped.url, token, NEW_ORDERS)),
  );
}

try {
  await run();
} finally {
  await stage.close();
  await server.stop();
}
if (breaches.length > 0) console.log(`\nbroken: ${breaches.join('; ')}`);
process.exitCode = breaches.length > 0 ? 1 : 0;
