import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { ServiceError } from '../../src/base/errors.js';
import type { Db } from '../../src/db/connect.js';
import { once } from '../../src/idempotency/once.js';
import { openAnswer, storedRows } from '../../src/idempotency/stored-answers.js';
import { createPlacing, type Placing } from '../../src/orders/place-order.js';
import { type PlannedOrder, planOrder } from '../../src/orders/plan-order.js';
import { ownDatabase } from '../support/services.js';
import { register } from '../webhook/support.js';
import { makeAccount } from './accounts-fixtures.js';
import { another, codeRing, codes, orderInput, placeOrder, planDeps, scopeOf } from './orders-fixtures.js';

// Requests at the same time, in any number of processes, must give the same database as the requests one by one.

const ACCOUNTS = 3;
const keyNames = ['k0', 'k1', 'k2'];

interface Request {
  account: number;
  /** Requests with the same key or externalId are equal. */
  name: { kind: 'key' | 'externalId'; number: number } | undefined;
  isRefused: boolean;
  pauseMs: number;
}

const request: fc.Arbitrary<Request> = fc.record({
  account: fc.nat(ACCOUNTS - 1),
  name: fc.option(fc.record({ kind: fc.constantFrom('key', 'externalId'), number: fc.nat(2) }), { nil: undefined }),
  isRefused: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
  pauseMs: fc.nat(12),
});

const { db: one } = await ownDatabase();
const { db: many, url } = await ownDatabase();
const rival = another(url, 'rival');
afterAll(() => rival.destroy());

/** The accounts of one run with their orders. The database refuses some orders: their payment method is foreign. */
async function accountsIn(db: Db) {
  const accounts: { right: PlannedOrder; wrong: PlannedOrder }[] = [];
  for (let at = 0; at < ACCOUNTS; at += 1) {
    const { id } = await makeAccount(db);
    if (at > 0) await register(db, id, { url: `https://receiver.example/${at}` }, { lanes: at });
    const right = await planOrder(planDeps(db), id, orderInput(at + 1, at + 1));
    const other = accounts.at(-1)?.right.paymentMethodId ?? right.paymentMethodId + 1_000_000;
    accounts.push({ right, wrong: { ...right, paymentMethodId: other } });
  }
  return accounts;
}

type Accounts = Awaited<ReturnType<typeof accountsIn>>;

/**
 * The plan of a request. Either all requests of a key are refused, or none is. No request of an externalId is refused,
 * because any of them may be the first.
 */
function plannedFor({ account, name, isRefused }: Request, accounts: Accounts): PlannedOrder {
  const { right, wrong } = accounts[account] ?? Object.assign({}, accounts[0]);
  const planned = (name?.kind === 'key' ? name.number === 0 : isRefused) ? wrong : right;
  return name?.kind === 'externalId' ? { ...planned, externalId: `e${name.number}` } : planned;
}

const numbered = ({ id }: { id: string }) => ({ id });

async function sendOne(each: Request, accounts: Accounts, db: Db, placing?: Placing): Promise<string> {
  const planned = plannedFor(each, accounts);
  if (each.name?.kind !== 'key') {
    return placing ? (await placing.writeOf(planned, numbered).commit()).id : (await placeOrder(db, planned)).id;
  }
  const scope = scopeOf(planned, `k${each.name.number}`);
  const { answer } = await once(db, scope, async () =>
    placing ? placing.writeOf(planned, numbered) : async (trx) => numbered(await placeOrder(trx, planned)),
  );
  return answer.id;
}

/** Sends the request again while the first one is still running, as clients do. */
async function send(...request: Parameters<typeof sendOne>): Promise<string> {
  try {
    return await sendOne(...request);
  } catch (error) {
    const isRunning = error instanceof ServiceError && error.message.includes('still running');
    if (!isRunning) return String(Reflect.get(Object(error), 'code'));
    await sleep(5);
    return send(...request);
  }
}

/** All rows of the accounts, without ids and times. */
async function contentOf(db: Db, accounts: Accounts): Promise<unknown> {
  const content: unknown[] = [];
  for (const { right } of accounts) {
    const { accountId } = right;
    const { rows } = await sql`
      select external_id, status, total_centavos, pickup_count, package_count, version,
        (select count(*) from pickups where order_id = orders.id) as pickups,
        (select json_agg(json_build_array(position, recipient_name, p.city, waypoint_index, leg_metres, p.status_code, p.seq,
            m.seq, m.status_code, m.city, m.happened_at = p.status_since, p.created_at = orders.created_at,
            (select count(*) from webhook_notifications n where n.loggi_key = p.loggi_key and n.seq = 1)) order by position)
          from packages p left join movements m on m.id = p.current_movement_id where order_id = orders.id) as packages
      from orders where account_id = ${accountId} order by external_id, total_centavos`.execute(db);
    const { rows: tallies } = await sql`
      select hours, sum(created) as created, sum(processing + out_for_delivery + completed + cancelled) as others
      from order_tallies where scope = ${accountId} group by hours order by hours`.execute(db);
    content.push({ rows, tallies, stored: await storedIn(db, accountId) });
  }
  return content;
}

async function storedIn(db: Db, accountId: string) {
  const scopes = keyNames.map((key) => scopeOf({ accountId }, key));
  const rows = await storedRows(db, scopes);
  return scopes.map((scope, at) => {
    const row = rows[at];
    return row && openAnswer(scope, row).kind;
  });
}

test('requests at the same time leave the same database as one order at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 60 }), async (requests) => {
      const [here, there] = [many, rival].map((db) => createPlacing({ db, codes, keys: codeRing, waitMs: 20_000 }));
      const [accounts, alone] = [await accountsIn(many), await accountsIn(one)];
      const together = await Promise.all(
        requests.map(async (each, at) => {
          await sleep(each.pauseMs);
          return at % 2 === 0 ? send(each, accounts, many, here) : send(each, accounts, rival, there);
        }),
      );
      for (const each of requests) await send(each, alone, one);
      expect(await contentOf(many, accounts)).toEqual(await contentOf(one, alone));
      const accountIds = accounts.map(({ right }) => right.accountId);
      const orders = await many.selectFrom('orders').select('id').where('account_id', 'in', accountIds).execute();
      const answered = new Set(together.filter((outcome) => outcome.includes('-')));
      expect(answered).toEqual(new Set(orders.map(({ id }) => id)));
    }),
    { numRuns: 8 },
  );
});
