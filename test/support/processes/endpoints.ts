import { sql } from 'kysely';
import type { KeyRing } from '../../../src/base/secrets/keys.js';
import type { Db } from '../../../src/db/connect.js';
import { createEndpoint } from '../../../src/endpoints/endpoints.js';
import { openSecrets } from '../../../src/endpoints/secrets.js';
import { enqueueNotifications, type RecordedMovement } from '../../../src/queue/enqueue.js';
import { idAt } from '../ids.js';
import type { CheckingReceiver } from './checking-receiver.js';
import type { Stage } from './stage.js';

/** An account's endpoint, and the packages that it is notified of. */
export interface Endpoint {
  id: string;
  accountId: string;
  path: string;
  url: string;
  keys: string[];
}

/** Accounts with an endpoint at the receiver and packages each; the receiver knows the endpoints' secrets. */
export async function newEndpoints(
  { db, ring }: Stage,
  receiver: CheckingReceiver,
  { endpoints, packages = 1, movements = 1 }: { endpoints: number; packages?: number; movements?: number },
): Promise<Endpoint[]> {
  const urls = Array.from({ length: endpoints }, (_, number) => receiver.urlOf(number));
  await seed(db, ring, { urls, packages, movements });
  const rows = await db.selectFrom('webhook_endpoints').selectAll().where('url', 'in', urls).execute();
  const accountIds = rows.map((row) => row.account_id);
  const ofAccounts = db.selectFrom('packages').where('account_id', 'in', accountIds).orderBy('position');
  const owned = await ofAccounts.select(['loggi_key', 'account_id']).execute();
  return rows.map(({ id, account_id: accountId, url, username, ...sealed }) => {
    const { password, signingSecrets } = openSecrets(ring, { id, ...sealed });
    const path = new URL(url).pathname;
    receiver.expect(path, { username, password, signingSecret: signingSecrets[0] ?? '' });
    const keys = owned.filter((row) => row.account_id === accountId).map((row) => row.loggi_key);
    return { id, accountId, path, url, keys };
  });
}

const STOP = `'Rua XV de Novembro, 1', null, null, -23.5, -46.6, 'city', 'Campinas', 'SP', null, null, 0, now(), 0`;

/** One account for each URL, with an endpoint there and `packages` packages that moved `movements` times each. */
export async function seed(
  db: Db,
  ring: KeyRing,
  { urls, packages, movements }: { urls: readonly string[]; packages: number; movements: number },
): Promise<void> {
  const accountIds: string[] = [];
  for (const url of urls) accountIds.push(await seedAccount(db, ring, url));
  await seedPackages(db, accountIds, packages, movements);
}

async function seedAccount(db: Db, ring: KeyRing, url: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into accounts (id, email, name, phone, role, password_hash)
    select id, id || '@malote.test', 'Ana Souza', '+5511999999999', 'customer', 'none' from (select gen_random_uuid() as id) new
    returning id`.execute(db);
  const accountId = rows[0]?.id ?? '';
  await sql`
    insert into payment_methods (account_id, kind, label) values (${accountId}, 'invoice', 'Invoice')`.execute(db);
  const destination = { url: new URL(url), username: 'bench', password: 'bench' };
  await createEndpoint(db, ring, { accountId, destination });
  return accountId;
}

/** One order of an account holds 100 packages; movement n of a package happened n minutes after the first. */
async function seedPackages(db: Db, accountIds: readonly string[], packages: number, movements: number): Promise<void> {
  const orders = Math.ceil(packages / 100);
  await db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with new_order as (
        insert into orders (id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos,
          distance_metres, distance_source, pickup_count, package_count)
        select ${idAt(sql`now() - interval '1 day'`)}, method.account_id, 'created', method.id, 1, '[]', 0, 0, 'great_circle', 1, 100
        from payment_methods method, generate_series(1, ${orders}::integer)
        where method.account_id = any(${accountIds}::uuid[])
        returning id, account_id
      ), new_pickup as (
        insert into pickups select id, 0, ${sql.raw(STOP)} from new_order returning order_id
      ), numbered as (
        select ${idAt(sql`now() - interval '1 day'`)} as loggi_key, gen_random_uuid() as movement_id, order_id, new_order.account_id, place,
          nextval('package_number') as number
        from new_pickup join new_order on new_order.id = order_id,
          generate_series(0, ${Math.min(packages, 100)}::integer - 1) as place
      ), new_package as (
        insert into packages (loggi_key, account_id, order_id, position, pickup_position, tracking_code, barcode,
          recipient_name, recipient_phone, width, height, length, weight, address, complement, instructions, latitude,
          longitude, precision, city, state, district, postal_code, waypoint_index, eta, leg_metres, promised_date, seq,
          status_code, status_since, current_movement_id, created_at)
        select loggi_key, account_id, order_id, place, 0, lpad(number::text, 12, '0'), lpad(number::text, 18, '0'),
          'Bruno', '+5511999999999', 10, 10, 10, 500, ${sql.raw(STOP)}, current_date, ${movements}, 17,
          now() - interval '1 day' + ${movements} * interval '1 minute', movement_id, now() - interval '1 day'
        from numbered returning loggi_key, current_movement_id
      )
      insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
      select case when seq = ${movements} then current_movement_id else gen_random_uuid() end, loggi_key, seq,
        case when seq = 1 then 1 else 17 end, now() - interval '1 day' + seq * interval '1 minute', 'Campinas', 'SP'
      from new_package, generate_series(1, ${movements}::integer) as seq`.execute(trx);
  });
}

/** Enqueues every movement of every package from the `first`-th on, as if they had just been recorded. */
export async function enqueueAll(db: Db, first: number): Promise<number> {
  const rows = await db
    .selectFrom('movements')
    .innerJoin('packages', 'packages.loggi_key', 'movements.loggi_key')
    .select(['movements.loggi_key', 'movements.seq', 'account_id'])
    .where('movements.seq', '>=', first)
    .orderBy('movements.seq')
    .execute();
  const moved = rows.map(
    (row): RecordedMovement => ({ accountId: row.account_id, loggiKey: row.loggi_key, seq: row.seq }),
  );
  for (let start = 0; start < moved.length; start += 5_000)
    await enqueueNotifications(db, moved.slice(start, start + 5_000));
  await sql`analyze`.execute(db);
  return moved.length;
}
