import { sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { toOperators, withdrawAnswers } from '../idempotency/stored-answers.js';
import { rewriteBodies, trackingDeliveriesAfter, withoutTexts } from '../queue/erasure.js';

/** Locks the packages of orders in the order of their keys, as movements do. Resolves to the keys. */
export async function lockPackagesOf(trx: Db, orderIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ loggi_key: string }>`
    select loggi_key from packages where order_id = any(${orderIds}::uuid[]) and ${inPartitionsOf('loggi_key', orderIds)}
    order by loggi_key for no key update`.execute(trx);
  return rows.map(({ loggi_key }) => loggi_key);
}

/**
 * Erases packages of erased orders from the next 100 stored deliveries after the id `after`. Also erases them from the
 * stored answers of replays to operators. Resolves to the id for the next call, or undefined at the end.
 */
export async function eraseBodies(db: Db, keyRing: KeyRing, after?: string): Promise<string | undefined> {
  const bodies = await trackingDeliveriesAfter(db, after);
  const named = bodies.flatMap(({ loggiKeys }) => loggiKeys);
  const keys = await erasedAmong(db, named);
  const affectedBodies = bodies.filter(({ loggiKeys }) => loggiKeys.some((key) => keys.has(key)));
  const newBodies = affectedBodies.map((each) => ({ ...each, newBody: withoutTexts(each, (key) => keys.has(key)) }));
  if (newBodies.length > 0) {
    if (!(await rewriteBodies(db, newBodies))) return eraseBodies(db, keyRing, after);
    const replays = sql`${toOperators} and operation = 'replayDelivery'`;
    await withdrawAnswers(db, keyRing, replays, new Set(newBodies.map(({ webhookId }) => webhookId)));
  }
  return bodies.at(-1)?.webhookId;
}

// Model: Erasure!Look (lab/models)
async function erasedAmong(db: Db, loggiKeys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ loggi_key: string }>`
    select p.loggi_key from packages p
    cross join lateral (
      select recipients_erased_at from orders where id = p.order_id and ${inPartitionsOf('id', loggiKeys)} limit 1) o
    where p.loggi_key = any(${[...new Set(loggiKeys)]}::uuid[]) and ${inPartitionsOf('p.loggi_key', loggiKeys)}
      and o.recipients_erased_at is not null`.execute(db);
  return new Set(rows.map(({ loggi_key }) => loggi_key));
}
