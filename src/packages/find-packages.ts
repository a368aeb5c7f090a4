import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import type { Db } from '../db/connect.js';
import { createdBefore, idSince, inPartitionsOf } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import { readings } from '../validation/readings.js';
import { keysOfCode, orderIdsOf } from './queries.js';

export interface FoundPackage {
  loggiKey: string;
  orderId: string;
}

export interface FindIn {
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

const MAX_FOUND = 1_000;
/** Most packages that are searched by name. An index of names would cost a write at each movement. */
const MAX_LOOKED_AT = 20_000;

/**
 * Finds packages by a code or an external id. Without a match, searches the recipients and references of the newest
 * packages that the actor may see. It also finds a complete reference of any age.
 */
export async function findPackages(db: Db, actor: Actor, text: string, within: FindIn = {}): Promise<FoundPackage[]> {
  const [code, barcode] = [readings.tracking_code(text), readings.bare(text)];
  const keys = [...(await keysOfCode(db, 'tracking_code', code)), ...(await keysOfCode(db, 'barcode', barcode))];
  const orderIds = await orderIdsOf(db, actor, text.trim());
  const ids = [...keys, ...orderIds];
  if (ids.length === 0) return byText(db, actor, text, within);
  const by = (column: string, among: readonly string[]) =>
    sql`select loggi_key, order_id, account_id from packages where ${sql.ref(column)} = any(${among}::uuid[]) and ${inPartitionsOf('loggi_key', among)}`;
  const named = sql`(${by('loggi_key', keys)} union ${by('order_id', orderIds)}) p`;
  return found(db, sql`${named} where ${ownedBy(actor, 'p.account_id')}`);
}

async function found(db: Db, from: RawBuilder<unknown>): Promise<FoundPackage[]> {
  const { rows } = await sql<FoundPackage>`
    select p.loggi_key as "loggiKey", p.order_id as "orderId" from ${from} limit ${MAX_FOUND}`.execute(db);
  return rows;
}

function byText(db: Db, actor: Actor, text: string, { createdFrom, createdTo }: FindIn): Promise<FoundPackage[]> {
  const before = createdTo === undefined ? sql`true` : createdBefore(createdTo, 'created_at', 'loggi_key');
  const from = createdFrom === undefined ? sql`true` : sql`created_at >= ${createdFrom}`;
  const [part, phone] = [plain(text.trim()), digits(text)];
  const seen = sql`${ownedBy(actor, 'account_id')} and ${from} and ${before} and loggi_key >= ${idSince(createdFrom)}`;
  const hasPart = (column: string) =>
    sql`strpos(lower(translate(${sql.ref(column)}, ${accented}, ${unaccented})), ${part}) > 0`;
  return found(
    db,
    sql`(
      select loggi_key, order_id from (
        select loggi_key, order_id, recipient_name, recipient_phone, reference from packages where ${seen}
        order by created_at desc, loggi_key desc limit ${MAX_LOOKED_AT}) newest
      where ${hasPart('recipient_name')} or ${hasPart('reference')}
        or ${phone === '' ? sql`false` : sql`strpos(translate(recipient_phone, ${SEPARATORS}, ''), ${phone}) > 0`}
      union
      select loggi_key, order_id from packages where reference = ${text.trim()} and ${seen}) p`,
  );
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const SMALL = 'áàâãäéèêëíìîïóòôõöúùûüçñ';
const accented = SMALL + SMALL.toUpperCase();
const unaccented = plain(accented);

const SEPARATORS = ' ()+-./';

/** The digits of a text that may be a telephone number with at least four digits. Otherwise an empty text. */
function digits(text: string): string {
  const all = text.replaceAll(/[\s()+\-./]/g, '');
  return /^\d{4,}$/.test(all) ? all : '';
}
