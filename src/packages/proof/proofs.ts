import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { erased } from '../../base/erased.js';
import { notFound } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import type { KeyRing } from '../../base/secrets/keys.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import { ownedBy } from '../../db/owned-by.js';
import { row } from '../../db/row.js';
import type { MediaType, PictureKind } from '../../db/tables/database.js';
import { DELIVERED, type MovementOutcome, type NewMovement, type PackageState, type Proof } from '../movement.js';
import { openFor, sealFor } from './sealed.js';

/** The text of a proof, to be sealed. Equal proofs have equal texts. */
export function proofText({ recipientName, recipientDocument, position }: Proof): string {
  const { latitude, longitude, accuracy } = position ?? {};
  return JSON.stringify({ recipientName, recipientDocument, position: position && { latitude, longitude, accuracy } });
}

/** The text of a stored proof, to compare a repetition, which brings the keys. `facts` are null if they were erased. */
export function storedProofText(loggiKey: string, facts: Buffer | null, keys: KeyRing | undefined): string {
  if (!facts) return erased.text;
  return keys ? openFor(keys, loggiKey, 'facts', facts).toString('utf8') : '';
}

export async function insertProofs(
  trx: Db,
  items: readonly NewMovement[],
  { outcomes, packages }: { outcomes: readonly MovementOutcome[]; packages: readonly PackageState[] },
): Promise<void> {
  const orders = new Map(packages.map(({ loggiKey, orderId }) => [loggiKey, orderId]));
  const rows = items.flatMap(({ id, loggiKey: spelled, handover }, at) => {
    const loggiKey = spelled.toLowerCase();
    const order_id = orders.get(loggiKey);
    if (!handover?.proof || order_id === undefined || outcomes[at]?.result !== 'recorded') return [];
    const facts = sealFor(handover.keys, loggiKey, 'facts', proofText(handover.proof));
    return [row<'delivery_proofs'>({ loggi_key: loggiKey, order_id, movement_id: id, facts })];
  });
  if (rows.length > 0) await trx.insertInto('delivery_proofs').values(rows).execute();
}

export interface DeliveryProof extends Proof {
  loggiKey: string;
  deliveredAt: Date;
  pin: 'confirmed' | 'overridden' | null;
  pictures: { kind: PictureKind; mediaType: MediaType; size: number }[];
}

/** A proof with the names of interfaces A and D. The paths of its pictures begin with `base`. */
export function proofBody(proof: DeliveryProof, base: string) {
  const { loggiKey, position } = proof;
  const pictureBody = (wanted: PictureKind) => {
    const picture = proof.pictures.find(({ kind }) => kind === wanted);
    const path = `${base}/packages/${loggiKey}/proof/${wanted}`;
    return picture && { path, media_type: picture.mediaType, size: picture.size };
  };
  return {
    loggi_key: loggiKey,
    delivered_at: proof.deliveredAt.toISOString(),
    recipient_name: proof.recipientName,
    recipient_document: proof.recipientDocument,
    position: position && { latitude: position.latitude, longitude: position.longitude, accuracy: position.accuracy },
    pin: proof.pin ?? undefined,
    photo: pictureBody('photo'),
    signature: pictureBody('signature'),
  };
}

interface ProofRow extends Pick<DeliveryProof, 'loggiKey' | 'deliveredAt' | 'pin'> {
  facts: Buffer | null;
  pictures: DeliveryProof['pictures'] | null;
}

/** Opens a sealed proof. It is empty if the proof was erased. */
export const openProof = (keys: KeyRing, loggiKey: string, facts: Buffer | null): Proof =>
  facts ? JSON.parse(openFor(keys, loggiKey, 'facts', facts).toString('utf8')) : {};

/** Reads the proof of delivery of a package of the actor's account; an operator may read any. Throws NOT_FOUND. */
export async function getProof(db: Db, actor: Actor, keys: KeyRing, loggiKey: string): Promise<DeliveryProof> {
  const row = isId(loggiKey) ? await readProof(db, actor, loggiKey) : undefined;
  if (!row || (!row.facts && !row.pin && !row.pictures)) throw notFound('proof of delivery', 'proof_not_found');
  const { facts, pictures, ...details } = row;
  return { ...details, ...openProof(keys, row.loggiKey, facts), pictures: pictures ?? [] };
}

async function readProof(db: Db, actor: Actor, loggiKey: string): Promise<ProofRow | undefined> {
  const { rows } = await sql<ProofRow>`
    select
      p.loggi_key as "loggiKey", p.status_since as "deliveredAt", proof.facts,
      case when pin.overridden_at is not null then 'overridden' when pin.confirmed_at is not null then 'confirmed' end as pin,
      (select json_agg(json_build_object('kind', kind, 'mediaType', media_type, 'size', size) order by kind)
        from delivery_pictures picture where picture.loggi_key = p.loggi_key) as pictures
    from packages p
    left join delivery_proofs proof on proof.loggi_key = p.loggi_key
    left join delivery_pins pin on pin.loggi_key = p.loggi_key
    where p.loggi_key = ${loggiKey} and ${inPartitionsOf('p.loggi_key', [loggiKey])} and ${ownedBy(actor, 'p.account_id')}
      and p.status_code = ${DELIVERED}`.execute(db);
  return rows[0];
}
