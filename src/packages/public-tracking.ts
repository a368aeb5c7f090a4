import { sql } from 'kysely';
import { isErased } from '../base/erased.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf, type PartitionFilter, statementInPartitions } from '../db/near.js';
import { shareRead } from '../db/share-read.js';
import type { MediaType, OrderStatus } from '../db/tables/database.js';
import type { PublicTitle } from '../db/tables/movements.js';
import type { Picture } from '../files/picture-file.js';
import { REOPENED } from './catalogue.js';
import { factColumns, type Location, type MovementFacts, type PickupAgency, toFacts } from './movement.js';
import { openFor } from './proof/sealed.js';
import { type DetailsRow, detailsJson, type RecipientDetails, toDetails } from './recipient-details.js';
import type { TrackingLink, TrackingLinks } from './tracking-links.js';

export interface PublicEvent {
  code: number;
  stage: OrderStatus;
  name: string;
  title: PublicTitle | null;
  description: string;
  happenedAt: Date;
  location: Location | null;
  isReopening: boolean;
}

/** A package as a visitor with its link sees it: without name, telephone or address of people. */
export interface PublicTracking {
  trackingCode: string;
  stage: OrderStatus;
  destination: Location;
  promisedDate: string;
  /** The first day on which it may be delivered. Null if its order has none. */
  deliverFrom: string | null;
  /** True if it waits for its sender to act, or at an agency for its recipient. */
  isWaiting: boolean;
  /** The current status, then the others, newest first: at most a hundred. */
  history: [PublicEvent, ...PublicEvent[]];
  seq: number;
  /** Null in the public view. */
  own: OwnTracking | null;
}

/** Parts that only the recipient's own link shows. */
export interface OwnTracking extends RecipientDetails {
  /** Null if it was erased. */
  senderName: string | null;
  /** Null if the name was erased, and for a name without letters. */
  recipientInitials: string | null;
  /** The short label of the sender's task. The description is only for the sender. */
  reasonLabel: string | null;
  pickupAgency: PickupAgency | null;
}

/** Reads links, and opens proofs with the keys. */
export interface TrackingReader {
  trackingLinks: Pick<TrackingLinks, 'read'>;
  encryptionKeys: KeyRing;
}

/** Reads the package of a token. Undefined if its link was never given out, is revoked, or has ended. */
export async function trackPackage(db: Db, { trackingLinks, encryptionKeys }: TrackingReader, token: string) {
  const link = trackingLinks.read(token);
  if (!link) return undefined;
  const { tracked } = await readTracked(db, link);
  return tracked ? toPublicTracking(tracked, link, encryptionKeys) : undefined;
}

const DAYS_AFTER_END = 90;
/** SQL conditions for a package `p` with its status `s`. */
const isStillShown = `not (s.final and p.status_since < now() - interval '${DAYS_AFTER_END} days')`;
const isValid = `coalesce(p.tracking_link, 0) = wanted.number and ${isStillShown}`;
const MAX_EVENTS = 100;
const MAX_TOGETHER = 8;

interface EventRow extends MovementFacts {
  code: number;
  stage: OrderStatus;
  name: string;
  public_title: PublicTitle | null;
  description: string;
  happened_at: string;
}

interface TrackedRow extends Location {
  tracking_code: string;
  promised_date: string;
  deliver_from: string | null;
  recipient_name: string;
  seq: number;
  stage: OrderStatus;
  sender_name: string;
  details: DetailsRow | null;
  events: EventRow[];
}

const eventsWhere = (inPartitions: PartitionFilter, condition: string) => sql`
  select s.code, s.stage, s.name, s.public_title, s.description, m.happened_at, ${sql.raw(factColumns)}
  from movements m join package_statuses s on s.code = m.status_code
  where m.loggi_key = p.loggi_key and ${inPartitions('m.loggi_key')} and ${sql.raw(condition)}`;

const trackedPackages = statementInPartitions(
  (inPartitions) => sql`
  select to_json(tracked) as tracked
  from unnest($1::uuid[], $2::integer[]) with ordinality as wanted (loggi_key, number, at)
  left join lateral (
    select
      p.tracking_code, p.promised_date, p.deliver_from, p.recipient_name, p.city, p.state, p.seq, s.stage, a.name as sender_name,
      ${sql.raw(detailsJson)} as details,
      (select json_agg(event) from (
        (${eventsWhere(inPartitions, 'm.id = p.current_movement_id')} limit 1)
        union all
        (${eventsWhere(inPartitions, 'm.id <> p.current_movement_id')}
        order by m.happened_at desc, m.seq desc limit ${sql.lit(MAX_EVENTS - 1)})) event) as events
    from packages p
    join package_statuses s on s.code = p.status_code
    join accounts a on a.id = p.account_id
    where p.loggi_key = wanted.loggi_key and ${inPartitions('p.loggi_key')} and ${sql.raw(isValid)} limit 1) tracked on true
  order by at`,
);

const readTracked = shareRead<TrackingLink, { tracked: TrackedRow | null }>(
  async (db, links) => {
    const keys = links.map(({ loggiKey }) => loggiKey);
    const query = trackedPackages(keys, [keys, links.map(({ number }) => number)]);
    return (await db.executeQuery<{ tracked: TrackedRow | null }>(query)).rows;
  },
  { max: MAX_TOGETHER },
);

/** Reads `PublicTracking.seq` of each link's package. Undefined for a link that is not valid. */
export async function trackingStates(db: Db, links: readonly TrackingLink[]): Promise<(number | undefined)[]> {
  const keys = links.map(({ loggiKey }) => loggiKey);
  const { rows } = await sql<{ at: number; seq: number }>`
    select wanted.at::integer, package.seq
    from unnest(${keys}::uuid[], ${links.map(({ number }) => number)}::integer[])
      with ordinality as wanted (loggi_key, number, at)
    cross join lateral (
      select p.seq from packages p join package_statuses s on s.code = p.status_code
      where p.loggi_key = wanted.loggi_key and ${inPartitionsOf('p.loggi_key', keys)} and ${sql.raw(isValid)} limit 1) package`.execute(
    db,
  );
  const states = new Map(rows.map(({ at, seq }) => [at, seq]));
  return links.map((_, at) => states.get(at + 1));
}

interface Label {
  trackingCode: string;
  /** CEP of the delivery, with 8 digits. */
  postalCode: string;
}

/** Finds the package of a label if its link is valid. A wrong CEP costs the same look-up as an unknown code. */
export async function lookUpPackage(db: Db, { trackingCode, postalCode }: Label) {
  const { rows } = await sql<{ loggiKey: string; trackingLink: number }>`
    select p.loggi_key as "loggiKey", coalesce(p.tracking_link, 0) as "trackingLink"
    from package_codes known
    join packages p on p.loggi_key = known.loggi_key
    join package_statuses s on s.code = p.status_code
    where known.tracking_code = ${trackingCode} and p.postal_code = ${postalCode}
      and coalesce(p.tracking_link, 0) >= 0 and ${sql.raw(isStillShown)}`.execute(db);
  return rows[0];
}

/** Reads the photo of a delivery for the recipient's own link. Undefined if that link shows no photo. */
export async function trackedPhoto(
  db: Db,
  { trackingLinks, encryptionKeys }: TrackingReader,
  token: string,
): Promise<Picture | undefined> {
  const link = trackingLinks.read(token);
  if (link?.view !== 'recipient') return undefined;
  const { loggiKey, number } = link;
  const { rows } = await sql<{ type: MediaType; sealed: Buffer }>`
    select media_type as type, sealed
    from (values (${number}::integer)) wanted (number), packages p
    join package_statuses s on s.code = p.status_code
    join delivery_pictures picture on picture.loggi_key = p.loggi_key and kind = 'photo'
    where p.loggi_key = ${loggiKey} and ${inPartitionsOf('p.loggi_key', [loggiKey])} and p.link_shows_all and ${sql.raw(isValid)}`.execute(
    db,
  );
  return rows[0] && { type: rows[0].type, bytes: openFor(encryptionKeys, loggiKey, 'photo', rows[0].sealed) };
}

/** Reads the sender's logo for the recipient's own link. Undefined if that link shows no logo. */
export async function trackedLogo(
  db: Db,
  { trackingLinks }: Pick<TrackingReader, 'trackingLinks'>,
  token: string,
): Promise<Picture | undefined> {
  const link = trackingLinks.read(token);
  if (link?.view !== 'recipient') return undefined;
  const { loggiKey, number } = link;
  const { rows } = await sql<Picture>`
    select logo_type as type, logo as bytes
    from (values (${number}::integer)) wanted (number), packages p
    join package_statuses s on s.code = p.status_code
    join brands on brands.account_id = p.account_id and logo is not null
    where p.loggi_key = ${loggiKey} and ${inPartitionsOf('p.loggi_key', [loggiKey])} and p.link_shows_all and ${sql.raw(isValid)}`.execute(
    db,
  );
  return rows[0];
}

function toPublicTracking(row: TrackedRow, { loggiKey, view }: TrackingLink, keys: KeyRing): PublicTracking {
  const [current, ...earlier] = row.events;
  if (!current) throw new Error(`package ${row.tracking_code} has no movement`);
  const { actionRequired, pickupAgency, expected } = toFacts(current);
  const isWaiting = actionRequired !== null || pickupAgency !== null;
  const history: PublicTracking['history'] = [toEvent(current), ...earlier.map(toEvent)];
  const progress = { loggiKey, stage: row.stage, isWaiting, history, expected };
  const facts = { reasonLabel: actionRequired?.reasonLabel ?? null, pickupAgency };
  return {
    trackingCode: row.tracking_code,
    stage: row.stage,
    destination: { city: row.city, state: row.state },
    promisedDate: row.promised_date,
    deliverFrom: row.deliver_from,
    isWaiting,
    history,
    seq: row.seq,
    own: view === 'public' ? null : { ...namesOf(row), ...facts, ...toDetails(row.details, progress, keys) },
  };
}

const namesOf = (row: TrackedRow) => ({
  senderName: isErased(row.sender_name) ? null : row.sender_name,
  recipientInitials: isErased(row.recipient_name) ? null : initialsOf(row.recipient_name),
});

function toEvent(row: EventRow): PublicEvent {
  const { location, isReopening } = toFacts(row);
  return {
    code: row.code,
    stage: row.stage,
    name: row.name,
    title: row.public_title,
    description: isReopening ? REOPENED : row.description,
    happenedAt: new Date(row.happened_at),
    location,
    isReopening,
  };
}

function initialsOf(name: string): string | null {
  const words = name.split(/\s+/).flatMap((word) => /\p{L}/u.exec(word)?.[0] ?? []);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.length > 0 ? letters.map((letter) => `${letter?.toUpperCase()}.`).join(' ') : null;
}
