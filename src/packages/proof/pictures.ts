import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { conflict, notFound } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import { ownedBy } from '../../db/owned-by.js';
import { row } from '../../db/row.js';
import type { MediaType, PictureKind } from '../../db/tables/database.js';
import { transaction } from '../../db/transaction.js';
import { cleanPicture, type Picture } from '../../files/picture-file.js';
import { DELIVERED } from '../movement.js';
import { openFor, sealFor } from './sealed.js';

export interface PictureKey {
  loggiKey: string;
  kind: PictureKind;
}

const endings: Readonly<Record<MediaType, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };

/**
 * Cleans and stores a picture of a delivery. The same bytes again change nothing. Throws VALIDATION_ERROR, NOT_FOUND.
 * Throws CONFLICT if the package is not delivered, if its recipient was erased, or if there is another picture.
 */
export async function putPicture(
  db: Db,
  keys: KeyRing,
  key: PictureKey,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const sent: SentPicture = { bytes, hash: createHash('sha256').update(bytes).digest() };
  // Before decoding, checks that the picture is to be stored.
  if (await transaction(db, async (trx) => isStored(trx, keys, await lockDelivered(trx, key), sent))) return;
  const picture = await cleanPicture(bytes, signal);
  await transaction(db, async (trx) => {
    const locked = await lockDelivered(trx, key);
    if (!(await isStored(trx, keys, locked, sent)))
      await insertPicture(trx, keys, locked, { ...picture, hash: sent.hash });
  });
}

interface SentPicture {
  bytes: Buffer;
  hash: Buffer;
}

type LockedPicture = PictureKey & { orderId: string };

/** Tells whether this picture is stored. Throws CONFLICT if another one is. Release 1.3 stored no hash. */
async function isStored(trx: Db, keys: KeyRing, { loggiKey, kind }: PictureKey, sent: SentPicture): Promise<boolean> {
  const stored = await trx
    .selectFrom('delivery_pictures')
    .select(['sealed', 'sent_hash as hash'])
    .where('loggi_key', '=', loggiKey)
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (!stored) return false;
  if (stored.hash ? stored.hash.equals(sent.hash) : openFor(keys, loggiKey, kind, stored.sealed).equals(sent.bytes))
    return true;
  throw conflict('picture_exists', `The delivery has another ${kind} already.`);
}

async function insertPicture(
  trx: Db,
  keys: KeyRing,
  { loggiKey, kind, orderId }: LockedPicture,
  { type, bytes, hash }: Picture & Pick<SentPicture, 'hash'>,
): Promise<void> {
  await trx
    .insertInto('delivery_pictures')
    .values(
      row<'delivery_pictures'>({
        loggi_key: loggiKey,
        kind,
        order_id: orderId,
        media_type: type,
        size: bytes.length,
        sealed: sealFor(keys, loggiKey, kind, bytes),
        sent_hash: hash,
      }),
    )
    .execute();
}

/** Locks the package, as an erasure does, so that each sees the other. Only one picture is stored at a time. */
async function lockDelivered(trx: Db, { loggiKey, kind }: PictureKey): Promise<LockedPicture> {
  const locked = await trx
    .selectFrom('packages')
    .select(['loggi_key as loggiKey', 'order_id as orderId', 'status_code as statusCode'])
    .where('loggi_key', '=', loggiKey)
    .where(inPartitionsOf('loggi_key', [loggiKey]))
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound('package'));
  if (locked.statusCode !== DELIVERED)
    throw conflict('package_not_delivered', 'The delivery of the package is not recorded.');
  const order = await trx
    .selectFrom('orders')
    .select('recipients_erased_at as erasedAt')
    .where('id', '=', locked.orderId)
    .executeTakeFirstOrThrow();
  if (order.erasedAt) throw conflict('package_erased', 'The recipient of the package was erased.');
  return { loggiKey: locked.loggiKey, orderId: locked.orderId, kind };
}

/** Reads a picture of a package of the actor's account; an operator may read any. Throws NOT_FOUND. */
export async function getPicture(db: Db, actor: Actor, keys: KeyRing, key: PictureKey): Promise<Picture> {
  const stored = isId(key.loggiKey) ? await readPicture(db, actor, key) : undefined;
  if (!stored) throw notFound(key.kind, 'proof_not_found');
  return { type: stored.type, bytes: openFor(keys, stored.loggiKey, key.kind, stored.sealed) };
}

async function readPicture(db: Db, actor: Actor, { loggiKey, kind }: PictureKey) {
  const { rows } = await sql<{ loggiKey: string; type: MediaType; sealed: Buffer }>`
    select p.loggi_key as "loggiKey", media_type as type, sealed
    from delivery_pictures picture
    join packages p on p.loggi_key = picture.loggi_key and ${inPartitionsOf('p.loggi_key', [loggiKey])}
    where picture.loggi_key = ${loggiKey} and kind = ${kind} and ${ownedBy(actor, 'p.account_id')}`.execute(db);
  return rows[0];
}

/** A picture as an answer of interfaces A and D. Throws NOT_FOUND. */
export async function pictureReply(db: Db, actor: Actor, keys: KeyRing, key: PictureKey) {
  const { type, bytes: body } = await getPicture(db, actor, keys, key);
  const headers = { 'Content-Disposition': `attachment; filename="${key.loggiKey}-${key.kind}.${endings[type]}"` };
  return { status: 200 as const, type, body, headers };
}
