import { sql } from 'kysely';
import { erased } from '../base/erased.js';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import { toOperators, withdrawAnswers } from '../idempotency/stored-answers.js';
import { rewriteBodies, trackingDeliveriesAfter, withoutTexts } from '../outbox/erasure.js';

/**
 * What is erased of a stop: the address with all that refines it, the coordinates and the CEP. The municipality, the times and the
 * metres stay.
 */
export const erasedStop = sql`
  address = ${erased.text}, complement = null, instructions = null, latitude = ${erased.coordinate},
  longitude = ${erased.coordinate}, precision = 'city', district = null, postal_code = null`;

/**
 * Erases the recipients of the packages of orders, where they live, and what people have written about them in movements. Locks the
 * packages in the order of their keys, as movements do. Proofs and PINs go by a trigger, when the order is marked as erased.
 */
export async function erasePackagesOf(trx: Db, orderIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ loggi_key: string }>`
    select loggi_key from packages where order_id = any(${orderIds}::uuid[]) and ${near('loggi_key', orderIds)}
    order by loggi_key for no key update`.execute(trx);
  const keys = rows.map(({ loggi_key }) => loggi_key);
  await sql`
    update packages set recipient_name = ${erased.text}, recipient_phone = ${erased.phone}, ${erasedStop}
    where loggi_key = any(${keys}::uuid[]) and ${near('loggi_key', keys)}`.execute(trx);
  await sql`
    update movements set
      reason_label = case when reason_label is not null then ${erased.text} end,
      reason_description = case when reason_description is not null then ${erased.text} end,
      agency_address = case when agency_address is not null then ${erased.text} end,
      agency_postal_code = case when agency_postal_code is not null then ${erased.postalCode} end
    where loggi_key = any(${keys}::uuid[]) and ${near('loggi_key', keys)} and num_nonnulls(reason_label, agency_address) > 0`.execute(
    trx,
  );
}

/**
 * Erases from stored deliveries what they say of packages whose order was erased: from the next 100 after the id, and from the
 * answers in which a replay has shown them to an operator. Resolves to the id to go on after; undefined when there are no more.
 */
export async function eraseBodies(db: Db, keyRing: KeyRing, after?: string): Promise<string | undefined> {
  const bodies = await trackingDeliveriesAfter(db, after);
  const keys = await erasedAmong(
    db,
    bodies.flatMap(({ loggiKeys }) => loggiKeys),
  );
  const affectedBodies = bodies.filter(({ loggiKeys }) => loggiKeys.some((key) => keys.has(key)));
  const newBodies = affectedBodies.map((each) => {
    const body = withoutTexts(each, (key) => keys.has(key));
    return { webhookId: each.webhookId, ...(body && { body }) };
  });
  if (newBodies.length > 0) {
    await rewriteBodies(db, newBodies);
    const replays = sql`${toOperators} and operation = 'replayDelivery'`;
    await withdrawAnswers(db, keyRing, replays, new Set(newBodies.map(({ webhookId }) => webhookId)));
  }
  return bodies.at(-1)?.webhookId;
}

async function erasedAmong(db: Db, loggiKeys: readonly string[]): Promise<Set<string>> {
  const areNear = sql`${near('p.loggi_key', loggiKeys)} and ${near('o.id', loggiKeys)}`;
  const { rows } = await sql<{ loggi_key: string }>`
    select p.loggi_key from packages p join orders o on o.id = p.order_id
    where p.loggi_key = any(${[...new Set(loggiKeys)]}::uuid[]) and ${areNear} and o.recipients_erased_at is not null`.execute(
    db,
  );
  return new Set(rows.map(({ loggi_key }) => loggi_key));
}
