import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { ApiKeyScope, KeyScope, MemberRole, Role } from '../../base/actor.js';
import type { FiscalRule } from '../../base/tax.js';
import type { MaybeStamp, MediaType, Stamp } from '../columns.js';

interface Accounts {
  id: string;
  email: string;
  name: string;
  phone: string;
  phone_confirmed: Generated<boolean>;
  tax_id: string | null;
  /** A link, an e-mail address or a telephone number that recipients see. */
  support_contact: string | null;
  /** Null means the setting of the service. */
  fiscal_rule: FiscalRule | null;
  role: Role;
  /** True if everybody who signs in for the account needs a second factor. */
  factor_required: Generated<boolean>;
  password_hash: string;
  epoch: Generated<number>;
  epoch_changed_at: Stamp;
  api_key_version: Generated<number>;
  /** The version before the last rotation. It is valid until the next column's time. */
  previous_key_version: number | null;
  previous_key_until: MaybeStamp;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: MaybeStamp;
  /** The time since which the personal data of the account must not be erased. Null without a hold. */
  held_at: MaybeStamp;
  erased_at: MaybeStamp;
}

interface PaymentMethods {
  id: GeneratedAlways<number>;
  account_id: string;
  kind: 'invoice' | 'credit_card' | 'pix';
  label: string;
  created_at: Stamp;
}

interface LoginFailures {
  subject: string;
  window_started_at: Stamp;
  failures: number;
}

interface SignInNetworks {
  account_id: string;
  /** A keyed hash of the network: see accounts/networks.ts. */
  network: Buffer;
  signed_in_at: Stamp;
}

/** Ids of the keys with which a process may have sealed data. */
interface SealingKeys {
  id: string;
  first_used_at: Stamp;
}

interface IdempotencyKeys {
  account_id: string;
  operation: string;
  key: string;
  door: string;
  fingerprint: Buffer;
  answer: Buffer;
  created_at: Stamp;
}

interface ApiKeys {
  id: string;
  account_id: string;
  /** SHA-256 of the key. */
  hash: Buffer;
  name: string;
  scope: ApiKeyScope;
  created_at: ColumnType<Date, undefined, never>;
  expires_at: ColumnType<Date | null, Date | string | null | undefined, never>;
  revoked_at: ColumnType<Date | null, undefined, Date | string>;
  /** The member who made it. Null for the account's own sign-in. */
  made_by: string | null;
}

interface OperatorKeys {
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
  /** True if its maker gave a second factor, and for keys of releases before 1.4. */
  with_factor: Generated<boolean>;
}

/** People who sign in for an account. */
interface Members {
  id: string;
  account_id: string;
  name: string;
  email: string;
  role: MemberRole;
  /** Null until the person has set a password. */
  password_hash: string | null;
  epoch: Generated<number>;
  epoch_changed_at: Stamp;
  /** SHA-256 of the link's secret, while the link is valid. */
  link_hash: Buffer | null;
  link_expires_at: MaybeStamp;
  /** The member who sent the invitation. Null for the account's own sign-in. */
  invited_by: string | null;
  created_at: Stamp;
  removed_at: MaybeStamp;
}

/** The colour and logo that recipients see of an account. */
export interface Brands {
  account_id: string;
  /** `#rrggbb`, in lower case. */
  color: string | null;
  logo_type: MediaType | null;
  logo: Buffer | null;
}

export interface SavedPickup {
  name: string;
  address: string;
  complement: string | null;
  sender: { name: string; phone: string | null } | null;
}

/** A box. Its sides are in cm. */
export interface SavedBox {
  name: string;
  width: number;
  height: number;
  length: number;
}

/** Pickups and boxes that an account saved for its next orders. */
interface Presets {
  account_id: string;
  pickups: JSONColumnType<readonly SavedPickup[]>;
  boxes: JSONColumnType<readonly SavedBox[]>;
  version: number;
}

/** The e-mail address of each account and member, in lower case. Triggers write it. */
interface SignInEmails {
  email: string;
  /** The id of the account or member. */
  holder: string;
}

/** Sessions of people in the pages: see accounts/sessions. */
interface OperatorSessions {
  /** SHA-256 of the session's secret. */
  hash: Buffer;
  account_id: string;
  /** The account's epoch when the session began. */
  epoch: number;
  /** The member who signed in, and the member's epoch at that time. Null for the account's own sign-in. */
  member_id: string | null;
  member_epoch: number | null;
  /** False until the second factor is given. */
  admitted: boolean;
  created_at: Stamp;
  /** Exact to the minute. */
  used_at: Stamp;
}

interface SecondFactors {
  /** The id of the account or the member whose sign-in it protects. */
  account_id: string;
  secret_sealed: Buffer;
  /** Releases before 1.4 left this null for an enrolment that was not confirmed. Such a row counts as no row. */
  confirmed_at: MaybeStamp;
  /** Number of the time step whose code was last accepted. */
  last_step: Generated<number>;
  /** SHA-256 of the unused recovery codes. */
  recovery_hashes: Generated<Buffer[]>;
}

/** The audit log. It is append-only: the database refuses every change of a row. */
export interface AuditLog {
  id: string;
  created_at: ColumnType<Date, undefined, never>;
  /** The account whose own log shows the entry. */
  account_id: string | null;
  /** False if the account itself made the change. */
  by_operator: ColumnType<boolean, boolean, never>;
  /** The operator or the member, or the account if its own sign-in or a key acted. Null for a local command. */
  actor_id: string | null;
  key_id: string | null;
  operation: string;
  targets: JSONColumnType<Record<string, string>, string, never>;
  location: string | null;
  fields: readonly string[];
  /** The HTTP status. Null if no request was answered. */
  status: number | null;
  request_id: string | null;
}

/** An erasure of personal data, from its request on. It has only ids and times. */
interface Erasures {
  id: string;
  kind: 'account' | 'recipients';
  /** The account, for an erasure of kind `account`. It was deleted at `requested_at`. */
  account_id: string | null;
  /** For an erasure of kind `recipients`: only orders that were finished before this time. */
  before: MaybeStamp;
  requested_at: Stamp;
  orders: Generated<number>;
  finished_at: MaybeStamp;
  /** The time until which one process works on it. */
  leased_until: MaybeStamp;
}

export interface AccountTables {
  accounts: Accounts;
  payment_methods: PaymentMethods;
  login_failures: LoginFailures;
  sign_in_networks: SignInNetworks;
  sealing_keys: SealingKeys;
  idempotency_keys: IdempotencyKeys;
  api_keys: ApiKeys;
  members: Members;
  brands: Brands;
  presets: Presets;
  sign_in_emails: SignInEmails;
  operator_keys: OperatorKeys;
  operator_sessions: OperatorSessions;
  second_factors: SecondFactors;
  audit_log: AuditLog;
  erasures: Erasures;
}
