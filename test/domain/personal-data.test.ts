import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { TrackingPayload } from '../../generated/tracking-webhook.js';
import { deleteAccount, eraseAccount, eraseAnswersAbout } from '../../src/accounts/delete-account.js';
import { requestRecipientErasure } from '../../src/accounts/erasures.js';
import { createNamedKey } from '../../src/accounts/named-keys.js';
import type { EveryKey } from '../../src/base/every-key.js';
import { newId } from '../../src/base/ids.js';
import { personalColumns, tableNames } from '../../src/db/erase.js';
import { bodyKeys } from '../../src/db/tables/body-keys.js';
import { kept, type Occasion } from '../../src/db/tables/classes.js';
import type { WebhookBody } from '../../src/db/tables/deliveries.js';
import { deleteEndpoint } from '../../src/endpoints/endpoints.js';
import { fingerprintOf, once } from '../../src/idempotency/once.js';
import { eraseOnce } from '../../src/operator/erasing.js';
import { noteAddressChange } from '../../src/orders/changes/address-history.js';
import type { Order } from '../../src/orders/order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { addPackageAnswer } from '../../src/packages/tasks.js';
import { endEndpointsOf } from '../../src/queue/erasure.js';
import { type Column, columnsOf } from '../support/catalogue.js';
import { haystack } from '../support/needles.js';
import { ownDatabase } from '../support/services.js';
import { register, ring, silent } from '../webhook/support.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';
import { keepProofs, movement, orderInput, placeOrder, planDeps } from './orders-fixtures.js';

// The test fills every personal column of src/db/tables/personal-data.ts with a marker in all rows of one account.
// Then one occasion after the other erases, and the test searches all columns of all tables for the marker.

const MARKER = 'Zulmira Quaresma';
/** A coordinate that no test uses otherwise. */
const DEGREES = 77.654321;

const { db } = await ownDatabase();
const clerk = actorOf(await makeAccount(db, { role: 'operator' }));
const owner = actorOf(await makeAccount(db, { role: 'operator' }));
const endpointIds: string[] = [];

beforeAll(async () => {
  for (const at of [1, 2])
    endpointIds.push((await register(db, owner.accountId, { url: `https://a.example/${at}` })).id);
  await keepRows(await placedOnce());
  await fill();
});

/** Places an order whose answer, with its recipient, is stored for an idempotency key. */
async function placedOnce(): Promise<Order> {
  const [first, ...others] = orderInput().packages;
  const recipient = { name: MARKER, phone: '+55 11 98888-7777' };
  const packages = [...(first ? [{ ...first, recipient }] : []), ...others];
  const planned = await planOrder(planDeps(db), owner.accountId, { ...orderInput(), packages });
  const scope = { accountId: owner.accountId, operation: 'createOrder', key: 'k', interfaceName: 'rest', keys: ring };
  const fingerprint = fingerprintOf(MARKER);
  return (await once(db, { ...scope, fingerprint }, async () => (trx) => placeOrder(trx, planned))).answer;
}

/** Adds a row to each table that a new order and a new account leave empty. */
async function keepRows(order: Order): Promise<void> {
  const { accountId } = owner;
  const [{ loggiKey } = { loggiKey: '' }] = order.packages;
  const of = { loggiKey, orderId: order.id, accountId };
  const address = { address: 'x', complement: 'x' };
  await keepProofs(db, order);
  await addPackageAnswer(db, { ...of, phone: 'x', address, instructions: 'x', note: 'x', applied: [] });
  await noteAddressChange(db, owner, { ...of, from: address, to: address });
  await sql`
    insert into package_reopenings (movement_id, loggi_key, order_id, operator_id, reason)
    values (${newId()}, ${loggiKey}, ${order.id}, ${accountId}, 'x')`.execute(db);
  await sql`insert into sign_in_networks (account_id, network) values (${accountId}, '')`.execute(db);
  await sql`
    insert into rate_tables (key, account_id, pickup_postal_code, service, weights)
    values ('x', ${accountId}, '', 'express', '1000')`.execute(db);
  await sql`insert into login_failures (subject, failures) values (${`account:${accountId}`}, 1)`.execute(db);
  await sql`insert into operator_sessions (hash, account_id, epoch, admitted) values ('', ${accountId}, 1, true)`.execute(
    db,
  );
  await sql`
    insert into second_factors (account_id, secret_sealed, confirmed_at, recovery_hashes)
    values (${accountId}, '', now(), array[''::bytea])`.execute(db);
  await sql`
    insert into members (id, account_id, name, email, role) values (${newId()}, ${accountId}, 'x', 'x', 'viewer')`.execute(
    db,
  );
  await sql`insert into brands (account_id, logo_type) values (${accountId}, 'image/png')`.execute(db);
  await sql`insert into presets (account_id, pickups, boxes, version) values (${accountId}, '[]', '[]', 1)`.execute(db);
  await createNamedKey(db, { accountId, name: 'x', scope: 'all', expiresAt: null });
  const delivery = { webhook_id: newId(), endpoint_id: endpointIds[0] ?? '', body: bodyOf(loggiKey) };
  const { id } = await db.selectFrom('webhook_lanes').select('id').limit(1).executeTakeFirstOrThrow();
  await db
    .insertInto('webhook_deliveries')
    .values({ ...delivery, lane_id: id, kind: 'tracking', package_count: 1, retain_from: new Date() })
    .execute();
  await sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, lease_lost, outcome)
    values (${delivery.webhook_id}, ${delivery.endpoint_id}, 1, false, now(), 1, false, 'refused')`.execute(db);
  await recordMovements(db, [movement(loggiKey, 5)]);
}

/** A body that has the marker under every key that is erased. */
function bodyOf(loggiKey: string): Buffer {
  const { trackingHistory, ...current } = bodyKeys.packages;
  const marked = { ...Object(filled(current)), loggiKey, trackingHistory: [filled(trackingHistory)] };
  return Buffer.from(JSON.stringify({ packages: [marked] }));
}

const filled = (keys: unknown): unknown => {
  if (typeof keys !== 'object' || keys === null) return keys === kept ? 'kept' : MARKER;
  return Object.fromEntries(Object.entries(keys).map(([name, inner]) => [name, filled(inner)]));
};

const occasions: readonly Occasion[] = ['recipient', 'endpoint', 'deletion', 'account'];

/** Columns that cannot hold the marker. A value of their own shows whether they were erased. */
const unmarked: Readonly<Record<string, unknown>> = {
  'accounts.phone_confirmed': true,
  'pickups.precision': 'rooftop',
  'packages.precision': 'rooftop',
  'pickups.accuracy_metres': 180,
  'packages.accuracy_metres': 180,
  'pickups.location_given': true,
  'packages.location_given': true,
  'login_failures.subject': undefined,
  'sign_in_emails.email': undefined,
  'members.email': 'bia@example.com',
  'brands.color': '#0a7d5c',
};
/** Columns that the functions above have filled. The test opens or parses their contents. */
const filledAbove = ['idempotency_keys.answer', 'webhook_deliveries.body'];

function personalOn(on: readonly Occasion[]): string[] {
  const named = on.flatMap((each) =>
    tableNames.flatMap((table) => personalColumns(table, each).map(([column]) => `${table}.${column}`)),
  );
  return [...new Set(named)].sort();
}

/** Fills every personal column of the owner's rows, whatever its type. */
async function fill(): Promise<void> {
  const columns = (await columnsOf(db)).filter(({ table, name }) => personalOn(occasions).includes(`${table}.${name}`));
  for (const column of columns) {
    const value = valueFor(column);
    if (value === undefined) continue;
    const { table, name } = column;
    await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${value} where ${isOwners(table)}`.execute(db);
  }
}

/** In these tables the operator who deletes has rows, too. */
const isOwners = (table: string) =>
  ({ accounts: sql`id = ${owner.accountId}`, payment_methods: sql`account_id = ${owner.accountId}` })[table] ??
  sql`true`;

function valueFor({ table, name, type }: Column): unknown {
  const column = `${table}.${name}`;
  if (filledAbove.includes(column)) return undefined;
  if (column in unmarked) return unmarked[column];
  const bytes = Buffer.from(MARKER);
  const values: Readonly<Record<string, unknown>> = {
    // Some text columns are unique.
    text: sql`${MARKER} || ctid::text`,
    bytea: bytes,
    'bytea[]': [bytes],
    'double precision': DEGREES,
    jsonb: JSON.stringify({ note: MARKER }),
  };
  if (!(type in values)) throw new Error(`${column}: this test has no marker of the type ${type}`);
  return values[type];
}

/** Every column of every table that holds the marker. */
async function marked(): Promise<string[]> {
  const places = await haystack(db, ring, { MARKER, DEGREES: String(DEGREES) });
  return [...new Set(Object.values(places).flat())].map((place) => place.replace('public.', '')).sort();
}

/** Columns whose marker the occasions so far have not erased. */
const leftAfter = (...done: Occasion[]): string[] => {
  const gone = personalOn(done);
  return personalOn(occasions).filter((column) => !gone.includes(column) && !(column in unmarked));
};

test('an occasion erases every column that the table names for it', async () => {
  expect(await marked()).toEqual(leftAfter());

  await requestRecipientErasure(db, new Date(Date.now() + 1_000));
  await eraseAll();
  expect(await marked()).toEqual(leftAfter('recipient'));
  expect(await valuesOf('precision', 'packages', 'pickups')).toEqual(['city', 'city']);
  expect(await valuesOf('accuracy_metres', 'packages', 'pickups')).toEqual([null, null]);

  const [first = ''] = endpointIds;
  await deleteEndpoint(db, first);
  const row = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
  const secrets = personalColumns('webhook_endpoints', 'endpoint').map(([column]) => Reflect.get(row, column));
  expect(secrets.map((secret) => secret?.toString() ?? '')).toEqual(secrets.map(() => ''));

  await deleteAccount(db, clerk, owner.accountId);
  await endEndpointsOf(db, owner.accountId);
  expect(await marked()).toEqual(leftAfter('recipient', 'endpoint', 'deletion'));

  await eraseAccount(db, owner.accountId);
  await eraseAnswersAbout(db, ring, owner.accountId);
  await eraseAll();
  expect(await marked()).toEqual([]);
  expect(leftAfter(...occasions)).toEqual([]);
  expect(await db.selectFrom('login_failures').selectAll().execute()).toEqual([]);
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', owner.accountId).executeTakeFirst();
  expect(account).toMatchObject({ phone_confirmed: false });
  expect(await valuesOf('email', 'members')).toEqual([expect.stringMatching(/@erased\.invalid$/)]);
  expect(await valuesOf('email', 'sign_in_emails')).not.toContain('bia@example.com');
});

async function eraseAll(): Promise<void> {
  const options = { db, log: silent, keys: ring, eraseAfterDays: 30, personalDataDays: 0, lostAfterDays: 90 };
  while (await eraseOnce(options));
}

async function valuesOf(column: string, ...tables: string[]): Promise<unknown[]> {
  const select = (table: string) =>
    sql<{ value: unknown }>`select ${sql.ref(column)} as value from ${sql.table(table)}`.execute(db);
  const results = await Promise.all(tables.map(select));
  return results.flatMap(({ rows }) => rows.map(({ value }) => value));
}

// A kept column gets no marker. So each column that may hold a text is named here again. Think of the things that
// people write into it.
const KEPT_TEXTS = `
  account_rate_cards.name accounts.role accounts.fiscal_rule address_changes.previous_lines api_keys.scope audit_log.operation audit_log.targets audit_log.location
  audit_log.fields audit_log.request_id brands.logo_type calendars.hours calendars.closed change_numbers.server collection_packages.outcome collections.code collections.city collections.state collections.extra_codes collections.fingerprint
  counted_packages.city counted_packages.state counted_packages.missed_why counted_packages.city_before
  counted_packages.state_before counted_packages.missed_why_before
  day_end_counts.missed_why day_end_counts.city day_end_counts.state delivery_pictures.kind delivery_pictures.media_type endpoint_budgets.action erasures.kind fiscal_keys.key
  idempotency_keys.operation idempotency_keys.key idempotency_keys.door key_copies.source leases.name ledger_entries.kind
  ledger_entries.external_id ledger_entries.service members.role movements.city
  movements.state movements.agency_city movements.agency_state movements.attempt_outcome operator_keys.hash operator_keys.name
  operator_keys.scope order_external_ids.external_id orders.external_id orders.status orders.price_lines
  orders.distance_source orders.service package_answers.applied package_answers.kind package_answers.problem package_codes.tracking_code package_codes.barcode
  package_statuses.name package_statuses.description package_statuses.requirement package_statuses.stage package_statuses.public_title
  packages.tracking_code packages.barcode packages.items packages.city packages.state packages.fiscal_kind packages.reference packages.attempt_outcome payment_methods.kind
  pickups.city pickups.state products.sku products.name products.description rate_cards.zones rate_cards.ad_valorem rate_cards.name rate_tables.key
  rate_tables.service rate_tables.weights rate_tables.file
  sealing_keys.id service_areas.areas statements.sums statements.sha256_pt statements.sha256_en
  webhook_attempts.outcome webhook_catch_ups.kind webhook_catch_ups.awaited webhook_deliveries.kind
  webhook_deliveries.traceparents webhook_endpoints.disabled_reason
  webhook_lanes.state webhook_notifications.traceparent`;

test('every text column that is kept is in the list of checked columns', async () => {
  const texts = (await columnsOf(db)).filter(({ type }) => ['text', 'text[]', 'jsonb', 'bytea'].includes(type));
  const stay = texts.filter(({ table, name }) => !personalOn(occasions).includes(`${table}.${name}`));
  expect(stay.map(({ table, name }) => `${table}.${name}`)).toEqual(KEPT_TEXTS.trim().split(/\s+/));
});

test('the keys of a stored body are those of the contract', () => {
  type SameKeys<A, B> = EveryKey<A> extends EveryKey<B> ? (EveryKey<B> extends EveryKey<A> ? true : false) : false;
  const areSame: SameKeys<WebhookBody, TrackingPayload> = true;
  expect(areSame).toBe(true);
});

test('docs/personal-data.md lists the table', async () => {
  const file = 'docs/personal-data.md';
  const text = await readFile(file, 'utf8');
  const [before = '', after = ''] = text.split(/\| table \| goes with[\s\S]*?\n\n/);
  const wanted = `${before}${listing()}\n\n${after}`;
  if (process.env['WRITE_SCHEMA']) await writeFile(file, wanted);
  else expect(text).toBe(wanted);
});

function listing(): string {
  const rows = tableNames.flatMap((table) =>
    occasions.flatMap((on) => {
      const columns = personalColumns(table, on).map(([column, to]) => `${column}: ${shown(to)}`);
      return columns.length > 0 ? [`| ${table} | ${on} | ${columns.join('; ')} |`] : [];
    }),
  );
  return ['| table | goes with | columns, and what they become |', '|---|---|---|', ...rows].join('\n');
}

function shown(to: unknown): string {
  if (typeof to === 'symbol') return to.description ?? '';
  if (Buffer.isBuffer(to) || to === '') return 'nothing';
  return typeof to === 'object' && to !== null ? 'an address made of the id' : `\`${String(to)}\``;
}
