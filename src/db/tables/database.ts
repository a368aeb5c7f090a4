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
  /** The account's own facts about the order. */
  metadata: JSONColumnType<Record<string, string>> | null;
  /** The last transaction that changed the row. A trigger sets it. */
  changed: Generated<string>;
}

/** Counts per span of time, which triggers on `orders` keep: orders by status, and packages. Shards add up. */
interface OrderTallies extends Record<OrderStatus | 'packages', number> {
  /** An account. The nil UUID stands for all accounts. */
  scope: string;
  hours: 1 | 336;
  starts_at: Time;
  shard: number;
}

/** A given address, its place, and its stop in the route. */
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
  /** Data that a movement to this status must have. No other movement may have it. */
  requirement: 'action_required' | 'pickup_agency' | null;
  final: boolean;
  stage: OrderStatus;
  /** Null if the status has only its name. */
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
  /** `YYYY-MM-DD`. The connection reads DATE as text. */
  promised_date: string;
  seq: number;
  status_code: number;
  status_since: Time;
  current_movement_id: string;
  created_at: Stamp;
  /** Null means the first link, a number below zero means no link. */
  tracking_link: number | null;
  /** False if a label of an earlier release may have the recipient's own link. */
  link_shows_all: Generated<boolean>;
  declared_centavos: number | null;
  /** The package's share of the order's line-haul. */
  line_haul_centavos: Big | null;
  /** Metres from its pickup. Null if an earlier release planned the package. */
  direct_metres: number | null;
  deliver_from: string | null;
  deliver_by: string | null;
  /** The account's own name of the package. */
  reference: string | null;
  /** The number of attempts, without `not_attempted`. Then outcome, next day and time of the last attempt. */
  attempt_count: number | null;
  attempt_outcome: DeliveryOutcome | null;
  attempt_next_on: string | null;
  attempted_at: Time | null;
  changed: Generated<string>;
}

/** A courier's report of a handover. `facts` are sealed JSON, or null if erased. */
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
  /** Bytes before sealing. */
  size: number;
  sealed: Buffer;
  /** SHA-256 of the sent bytes. Null if the picture is stored as it was sent. */
  sent_hash: Buffer | null;
}

interface DeliveryPins {
  loggi_key: string;
  order_id: string;
  /** The sealed digits. */
  pin: Buffer;
  wrong_tries: Generated<number>;
  /** The time at which a movement brought the right PIN. */
  confirmed_at: MaybeStamp;
  /** The time at which the operator allowed the delivery without the PIN. */
  overridden_at: MaybeStamp;
  override_reason: string | null;
}

/** Keys that are unique over all partitions: external ids here, codes of packages and ids of movements below. */
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

/** Ids of reported movements. The first movement of a package has no row. */
interface MovementKeys {
  id: string;
  loggi_key: string;
}

/** Fiscal keys of orders that are neither completed nor cancelled. */
interface FiscalKeys {
  account_id: string;
  key: string;
  /** The order, and returns of its packages. */
  order_ids: string[];
}

/** A mark tells which transactions had ended at a time (src/db/lists/changed-since.ts). */
interface ChangeMarks {
  marked_at: Time;
  timeline: number;
  oldest: string;
}

/** The server that gave the numbers of changes, in one row (src/db/lists/change-numbers.ts). */
interface ChangeNumbers {
  /** The identifier of its cluster, as decimal digits. */
  server: string;
  numbering: number;
}

interface Leases {
  name: string;
  holder: string;
  held_until: Time;
}

/** Progress of `malote partition` in releases until 1.7. Nothing reads it. */
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
