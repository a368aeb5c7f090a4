import type { Generated, JSONColumnType } from 'kysely';
import type { Dimensions } from '../../base/dimensions.js';
import type { DistanceSource, Precision } from '../../base/place.js';
import type { FiscalKind } from '../../base/tax.js';
import type { Big, MaybeStamp, MediaType, Stamp, Time } from '../columns.js';
import type { AccountTables } from './accounts.js';
import type { CarrierTables } from './areas.js';
import type { ChangeTables, PriceLine } from './changes.js';
import type { CollectionTables } from './collections.js';
import type { DayTables } from './days.js';
import type { DeliveryTables } from './deliveries.js';
import type { LedgerTables } from './ledger.js';
import type { DeliveryOutcome, Movements, PublicTitle } from './movements.js';
import type { Service } from './prices.js';
import type { Products } from './products.js';

export const orderStatuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];
export type PictureKind = 'photo' | 'signature';
export type { MediaType };

export interface Orders {
  id: string;
  account_id: string;
  external_id: string | null;
  status: OrderStatus;
  payment_method_id: number;
  rate_card_version: number;
  price_lines: JSONColumnType<PriceLine[]>;
  total_centavos: Big;
  distance_metres: number;
  distance_source: DistanceSource;
  pickup_count: number;
  package_count: number;
  service: Generated<Service>;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  recipients_erased_at: MaybeStamp;
  ready_at: Time | null;
  /** The account's own facts. */
  metadata: JSONColumnType<Record<string, string>> | null;
  /** The transaction that changed the row last; a trigger sets it. */
  changed: Generated<string>;
}

/** Triggers on `orders` keep these counts for spans of time. A count is the sum over its shards. */
interface OrderTallies extends Record<OrderStatus | 'packages', number> {
  /** An account, or the nil UUID: all accounts. */
  scope: string;
  hours: 1 | 336;
  starts_at: Time;
  shard: number;
}

/** An address as given, where it was placed, and its stop in the route. */
export interface StopColumns {
  address: string;
  complement: string | null;
  instructions: string | null;
  latitude: number;
  longitude: number;
  precision: Precision;
  accuracy_metres: number | null;
  city: string;
  state: string;
  district: string | null;
  postal_code: string | null;
  waypoint_index: number;
  eta: Time;
  leg_metres: number;
  location_given: boolean | null;
}

export interface Pickups extends StopColumns {
  order_id: string;
  position: number;
  sender_name: string | null;
  sender_phone: string | null;
}

export interface PackageStatuses {
  code: number;
  name: string;
  description: string;
  /** A movement to this status must carry it; no other movement may. */
  requirement: 'action_required' | 'pickup_agency' | null;
  final: boolean;
  stage: OrderStatus;
  /** Null of a status that has its name alone. */
  public_title: PublicTitle | null;
}

export interface Packages extends StopColumns, Dimensions {
  loggi_key: string;
  account_id: string;
  order_id: string;
  position: number;
  pickup_position: number;
  tracking_code: string;
  barcode: string;
  recipient_name: string;
  recipient_phone: string;
  recipient_tax_id: string | null;
  fiscal_kind: FiscalKind | null;
  fiscal_key: string | null;
  fiscal_reason: string | null;
  items: JSONColumnType<{ productId: string; quantity: number }[]> | null;
  /** YYYY-MM-DD; the connection reads DATE as text. */
  promised_date: string;
  seq: number;
  status_code: number;
  status_since: Time;
  current_movement_id: string;
  created_at: Stamp;
  /** The first link where it is null; none below zero. */
  tracking_link: number | null;
  /** False where a label of an earlier release may carry the recipient's own link. */
  link_shows_all: Generated<boolean>;
  declared_centavos: number | null;
  /** Its part of the order's line-haul. */
  line_haul_centavos: Big | null;
  /** From its pickup; null where an earlier release planned it. */
  direct_metres: number | null;
  deliver_from: string | null;
  deliver_by: string | null;
  /** The account's own name of it. */
  reference: string | null;
  /** The number of attempts, without `not_attempted`; then the outcome, the day and the time of the last one. */
  attempt_count: number | null;
  attempt_outcome: DeliveryOutcome | null;
  attempt_next_on: string | null;
  attempted_at: Time | null;
  changed: Generated<string>;
}

/** A courier's report of a package that was handed over; `facts` are sealed JSON, null once erased. */
interface DeliveryProofs {
  loggi_key: string;
  order_id: string;
  movement_id: string;
  facts: Buffer | null;
}

interface DeliveryPictures {
  loggi_key: string;
  kind: PictureKind;
  order_id: string;
  media_type: MediaType;
  /** In bytes, before it was sealed. */
  size: number;
  sealed: Buffer;
  /** SHA-256 of the bytes that were sent; null for a picture that is stored as it was sent. */
  sent_hash: Buffer | null;
}

interface DeliveryPins {
  loggi_key: string;
  order_id: string;
  /** Sealed digits. */
  pin: Buffer;
  wrong_tries: Generated<number>;
  /** When a movement brought the right one. */
  confirmed_at: MaybeStamp;
  /** When the operator let the package be delivered without it. */
  overridden_at: MaybeStamp;
  override_reason: string | null;
}

/** Keys that are unique over all partitions of orders, packages and movements; empty where there are none. */
interface OrderExternalIds {
  account_id: string;
  external_id: string;
  order_id: string;
}

interface PackageCodeKeys {
  tracking_code: string;
  barcode: string;
  loggi_key: string;
}

/** Of movements that were reported; the first one of a package has no key. */
interface MovementKeys {
  id: string;
  loggi_key: string;
}

/** Fiscal keys of orders that are neither completed nor cancelled. */
interface FiscalKeys {
  account_id: string;
  key: string;
  /** An order and returns of its packages. */
  order_ids: string[];
}

/** When which transactions had ended (src/db/lists/changed-since.ts). */
interface ChangeMarks {
  marked_at: Time;
  timeline: number;
  oldest: string;
}

/** Names the server that gave the numbers of changes, in one row (src/db/lists/change-numbers.ts). */
interface ChangeNumbers {
  /** The identifier of its cluster, in decimal digits. */
  server: string;
  numbering: number;
}

interface Leases {
  name: string;
  holder: string;
  held_until: Time;
}

/** Progress of `malote partition` of releases until 1.7, which nothing reads. */
interface KeyCopies {
  source: string;
  last_id: string;
}

export interface Database
  extends AccountTables,
    CarrierTables,
    ChangeTables,
    CollectionTables,
    DayTables,
    DeliveryTables,
    LedgerTables {
  products: Products;
  orders: Orders;
  order_external_ids: OrderExternalIds;
  order_tallies: OrderTallies;
  pickups: Pickups;
  package_statuses: PackageStatuses;
  packages: Packages;
  package_codes: PackageCodeKeys;
  movements: Movements;
  movement_keys: MovementKeys;
  delivery_proofs: DeliveryProofs;
  delivery_pictures: DeliveryPictures;
  delivery_pins: DeliveryPins;
  fiscal_keys: FiscalKeys;
  key_copies: KeyCopies;
  change_marks: ChangeMarks;
  change_numbers: ChangeNumbers;
  leases: Leases;
}
