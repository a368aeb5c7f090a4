import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { KeyScope } from '../base/actor.js';
import type { DeliveryTables } from './tables-deliveries.js';

/** A timestamp that the database sets by default. */
export type Stamp = ColumnType<Date, Date | string | undefined, Date | string>;
/** A timestamp that may be missing. */
export type MaybeStamp = ColumnType<Date | null, Date | string | undefined, Date | string | null>;
/** A BIGINT: the driver reads it as text. */
export type Big = ColumnType<string, number | bigint, number | bigint>;

export type Role = 'operator' | 'customer';
export type OrderStatus = 'created' | 'processing' | 'out_for_delivery' | 'completed' | 'cancelled';
export type Precision = 'rooftop' | 'street' | 'postal_code' | 'district' | 'city';
export type Requirement = 'action_required' | 'pickup_agency';

export interface Accounts {
  id: string;
  email: string;
  name: string;
  phone: string;
  phone_confirmed: Generated<boolean>;
  role: Role;
  password_hash: string;
  epoch: Generated<number>;
  epoch_changed_at: Stamp;
  api_key_version: Generated<number>;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: MaybeStamp;
  /** Since when the personal data of the account must not be erased. */
  held_at: MaybeStamp;
  erased_at: MaybeStamp;
}

export interface PaymentMethods {
  id: GeneratedAlways<number>;
  account_id: string;
  kind: 'invoice' | 'credit_card' | 'pix';
  label: string;
  created_at: Stamp;
}

export interface LoginFailures {
  subject: string;
  window_started_at: Stamp;
  failures: number;
}

export interface SignInNetworks {
  account_id: string;
  /** A keyed hash: see accounts/sign-in-networks.ts. */
  network: Buffer;
  signed_in_at: Stamp;
}

/** Ids of the keys that a process may have sealed something with. */
export interface SealingKeys {
  id: string;
  first_used_at: Stamp;
}

export interface IdempotencyKeys {
  account_id: string;
  operation: string;
  key: string;
  door: string;
  fingerprint: Buffer;
  answer: Buffer;
  created_at: Stamp;
}

export interface OperatorKeys {
  id: string;
  /** SHA-256 of the secret. */
  hash: Buffer;
  name: string;
  scope: KeyScope;
  created_by: string;
  created_at: Stamp;
  expires_at: ColumnType<Date | null, Date | string | null | undefined, never>;
  last_used_at: ColumnType<Date | null, undefined, Date | string>;
  revoked_at: ColumnType<Date | null, undefined, Date | string>;
}

/** Append-only: the database refuses every change of a row. */
export interface AuditLog {
  id: string;
  created_at: ColumnType<Date, undefined, never>;
  actor_id: string | null;
  key_id: string | null;
  operation: string;
  targets: JSONColumnType<Record<string, string>, string, never>;
  location: string | null;
  fields: readonly string[];
  /** HTTP status; null where no request was answered. */
  status: number | null;
  request_id: string | null;
}

export interface Products {
  id: string;
  account_id: string;
  sku: string;
  name: string;
  description: string;
  price_centavos: Big;
  width: number;
  height: number;
  length: number;
  weight: number;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: ColumnType<Date | null, Date | string | undefined, Date | string | null>;
}

export interface RateCards {
  version: number;
  base_centavos: number;
  per_km_centavos: number;
  per_kg_centavos: number;
  per_extra_stop_centavos: number;
  volumetric_cm3_per_kg: number;
  created_at: Stamp;
}

export interface PriceLine {
  kind: 'base' | 'distance' | 'weight' | 'extra_stop';
  /** Pieces, km or kg. */
  quantity: number;
  /** Centavos. */
  unitPrice: number;
  /** Centavos. */
  amount: number;
}

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
  distance_source: 'great_circle' | 'osrm';
  pickup_count: number;
  package_count: number;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  recipients_erased_at: MaybeStamp;
}

/** Written by triggers on orders: how many of each status there are in one span of time. Several shards may tell of one span. */
export interface OrderTallies extends Record<OrderStatus, number> {
  /** An account, or the nil UUID: all accounts. */
  scope: string;
  hours: 1 | 336;
  starts_at: Stamp;
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
  city: string;
  state: string;
  district: string | null;
  postal_code: string | null;
  waypoint_index: number;
  eta: ColumnType<Date, Date | string, Date | string>;
  leg_metres: number;
}

export interface Pickups extends StopColumns {
  order_id: string;
  position: number;
}

export interface PackageStatuses {
  code: number;
  name: string;
  description: string;
  requirement: Requirement | null;
  final: boolean;
  stage: OrderStatus;
}

export interface Packages extends StopColumns {
  loggi_key: string;
  account_id: string;
  order_id: string;
  position: number;
  pickup_position: number;
  tracking_code: string;
  barcode: string;
  recipient_name: string;
  recipient_phone: string;
  width: number;
  height: number;
  length: number;
  weight: number;
  items: JSONColumnType<{ productId: string; quantity: number }[]> | null;
  /** YYYY-MM-DD; the connection reads DATE as text. */
  promised_date: string;
  seq: number;
  status_code: number;
  status_since: ColumnType<Date, Date | string, Date | string>;
  current_movement_id: string;
  created_at: Stamp;
}

export interface Movements {
  id: string;
  loggi_key: string;
  seq: number;
  status_code: number;
  /** Microseconds matter here: read it with to_char, not as a Date. */
  happened_at: ColumnType<Date, Date | string, never>;
  /** Where it differs: what the sender's clock said. */
  reported_at: ColumnType<Date | null, Date | string | null | undefined, never>;
  recorded_at: Stamp;
  city: string | null;
  state: string | null;
  reason_label: string | null;
  reason_description: string | null;
  agency_address: string | null;
  agency_city: string | null;
  agency_state: string | null;
  agency_postal_code: string | null;
}

/** One erasure of personal data, from its request on. Ids and times only. */
export interface Erasures {
  id: string;
  kind: 'account' | 'recipients';
  /** Of an erasure of kind `account`: the account, which was deleted at `requested_at`. */
  account_id: string | null;
  /** Of an erasure of kind `recipients`: orders that were finished before this time. */
  before: MaybeStamp;
  requested_at: Stamp;
  /** How many orders it has erased the recipients of. */
  orders: Generated<number>;
  finished_at: MaybeStamp;
  /** Until then one process works at it. */
  leased_until: MaybeStamp;
}

export interface Database extends DeliveryTables {
  accounts: Accounts;
  payment_methods: PaymentMethods;
  login_failures: LoginFailures;
  sign_in_networks: SignInNetworks;
  sealing_keys: SealingKeys;
  idempotency_keys: IdempotencyKeys;
  operator_keys: OperatorKeys;
  audit_log: AuditLog;
  products: Products;
  rate_cards: RateCards;
  orders: Orders;
  order_tallies: OrderTallies;
  pickups: Pickups;
  package_statuses: PackageStatuses;
  packages: Packages;
  movements: Movements;
  erasures: Erasures;
}
