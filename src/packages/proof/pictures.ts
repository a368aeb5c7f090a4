import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, invalid, notFound } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { KeyRing } from '../../base/keys.js';
import type { Db } from '../../db/connect.js';
import { near } from '../../db/near.js';
import { ownedBy } from '../../db/owned-by.js';
import type { MediaType, PictureKind } from '../../db/tables.js';
import { transaction } from '../../db/transaction.js';
import { DELIVERED } from '../movement.js';
import { sizeOf } from './picture-size.js';
import { openFor, sealFor } from './sealed.js';

export interface Picture {
  type: MediaType;
  bytes: Buffer;
}

/** Which picture of a package. */
export interface PictureKey {
  loggiKey: string;
  kind: PictureKind;
}

const endings: Readonly<Record<MediaType, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };

const MOST_PIXELS = 8192;

/** The media type of bytes that begin as a picture of at most 8192 pixels a side. Throws VALIDATION_ERROR for others. */
function demandPicture(bytes: Buffer): MediaType {
  const size = sizeOf(bytes);
  if (!size) throw invalid([{ field: 'body', message: 'must be a JPEG, PNG or WebP picture' }]);
  if ([size.width, size.height].every((side) => side >= 1 && side <= MOST_PIXELS)) return size.type;
  throw invalid([{ field: 'body', message: `must have 1 to ${MOST_PIXELS} pixels on each side` }]);
}

/**
 * Stores a picture of a delivery. What is stored stays: the same one again changes nothing. Throws VALIDATION_ERROR for what is no such
 * picture, NOT_FOUND, and CONFLICT for a package that is not delivered, one whose recipient was erased, and a second picture.
 */
export async function putPicture(db: Db, keys: KeyRing, key: PictureKey, bytes: Buffer): Promise<void> {
  const type = demandPicture(bytes);
  await transaction(db, async (trx) => {
    const { loggiKey, orderId } = await lockDelivered(trx, key.loggiKey);
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('delivery_pictures')
      .values({
        loggi_key: loggiKey,
        kind: key.kind,
        order_id: orderId,
        media_type: type,
        size: bytes.length,
        sealed: sealFor(keys, loggiKey, key.kind, bytes),
      })
      .onConflict((same) => same.columns(['loggi_key', 'kind']).doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return;
    const stored = await trx
      .selectFrom('delivery_pictures')
      .select('sealed')
      .where('loggi_key', '=', loggiKey)
      .where('kind', '=', key.kind)
      .executeTakeFirstOrThrow();
    if (!openFor(keys, loggiKey, key.kind, stored.sealed).equals(bytes))
      throw conflict(`The delivery has another ${key.kind} already.`);
  });
}

/** Locks the package as an erasure does: it finds the picture, or this finds that the recipient was erased. */
async function lockDelivered(trx: Db, loggiKey: string): Promise<{ loggiKey: string; orderId: string }> {
  const locked = await trx
    .selectFrom('packages')
    .select(['loggi_key as loggiKey', 'order_id as orderId', 'status_code as statusCode'])
    .where('loggi_key', '=', loggiKey)
    .where(near('loggi_key', [loggiKey]))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!locked) throw notFound('package');
  if (locked.statusCode !== DELIVERED) throw conflict('The delivery of the package is not recorded.');
  const order = await trx
    .selectFrom('orders')
    .select('recipients_erased_at as erasedAt')
    .where('id', '=', locked.orderId)
    .executeTakeFirstOrThrow();
  if (order.erasedAt) throw conflict('The recipient of the package was erased.');
  return locked;
}

/** A picture of a package of the actor's account, or of any for an operator. Throws NOT_FOUND when there is none. */
export async function getPicture(db: Db, actor: Actor, keys: KeyRing, key: PictureKey): Promise<Picture> {
  const stored = isId(key.loggiKey) ? await readPicture(db, actor, key) : undefined;
  if (!stored) throw notFound(key.kind);
  return { type: stored.type, bytes: openFor(keys, stored.loggiKey, key.kind, stored.sealed) };
}

async function readPicture(db: Db, actor: Actor, { loggiKey, kind }: PictureKey) {
  const { rows } = await sql<{ loggiKey: string; type: MediaType; sealed: Buffer }>`
    select p.loggi_key as "loggiKey", media_type as type, sealed
    from delivery_pictures picture
    join packages p on p.loggi_key = picture.loggi_key and ${near('p.loggi_key', [loggiKey])}
    where picture.loggi_key = ${loggiKey} and kind = ${kind} and ${ownedBy(actor, 'p.account_id')}`.execute(db);
  return rows[0];
}

/** The headers under which a picture is stored as a file, and not shown as a page of this origin. */
export function fileHeaders({ loggiKey, kind }: PictureKey, type: MediaType): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `attachment; filename="${loggiKey}-${kind}.${endings[type]}"` };
}
