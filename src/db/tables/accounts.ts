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
  /** Shown to recipients: a link, an e-mail address or a telephone number. */
  support_contact: string | null;
  /** The service's setting where it is null. */
  fiscal_rule: FiscalRule | null;
  role: Role;
  /** Everybody who signs in for the account needs a second factor. */
  factor_required: Generated<boolean>;
  password_hash: string;
  epoch: Generated<number>;
  epoch_changed_at: Stamp;
  api_key_version: Generated<number>;
  /** The version before a rotation, while it is the last one, is valid until then. */
  previous_key_version: number | null;
  previous_key_until: MaybeStamp;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: MaybeStamp;
  /** Since when the personal data of the account must not be erased. */
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
  /** A keyed hash: see accounts/networks.ts. */
  network: Buffer;
  signed_in_at: Stamp;
}

/** Ids of the keys that a process may have sealed something with. */
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
  /** The member who made it; null for the account's own sign-in. */
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
  /** Its maker gave a second factor; true for keys of releases before 1.4. */
  with_factor: Generated<boolean>;
}

/** People who sign in for an account. */
interface Members {
  id: string;
  account_id: string;
  name: string;
  email: string;
  role: MemberRole;
  /** Null until the person has chosen a password. */
  password_hash: string | null;
  epoch: Generated<number>;
  epoch_changed_at: Stamp;
  /** SHA-256 of the link's secret, while the link works. */
  link_hash: Buffer | null;
  link_expires_at: MaybeStamp;
  /** The member who sent the invitation; null for the account's own sign-in. */
  invited_by: string | null;
  created_at: Stamp;
  removed_at: MaybeStamp;
}

/** The colour and logo that recipients see of an account. */
export interface Brands {
  account_id: string;
  /** `#rrggbb`, in small letters. */
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

/** Sides in cm. */
export interface SavedBox {
  name: string;
  width: number;
  height: number;
  length: number;
}

/** Pickups and boxes of an account for its next orders. */
interface Presets {
  account_id: string;
  pickups: JSONColumnType<readonly SavedPickup[]>;
  boxes: JSONColumnType<readonly SavedBox[]>;
  version: number;
}

/** The e-mail address of each account and member, in lower case; triggers write it. */
interface SignInEmails {
  email: string;
  /** The account or member. */
  holder: string;
}

/** The sessions of people at the pages: see accounts/sessions. */
interface OperatorSessions {
  /** SHA-256 of the session's secret. */
  hash: Buffer;
  account_id: string;
  /** The account's epoch when the session began. */
  epoch: number;
  /** The member who signed in, with the member's epoch then; null for the account's own sign-in. */
  member_id: string | null;
  member_epoch: number | null;
  /** False until the second factor is given. */
  admitted: boolean;
  created_at: Stamp;
  /** To the minute. */
  used_at: Stamp;
}

interface SecondFactors {
  /** The account or the member whose sign-in it is of. */
  account_id: string;
  secret_sealed: Buffer;
  /** Null for an enrolment of a release before 1.4 that was never confirmed: as good as no row. */
  confirmed_at: MaybeStamp;
  /** Number of the time step whose code was accepted last. */
  last_step: Generated<number>;
  /** SHA-256 of the recovery codes that are left. */
  recovery_hashes: Generated<Buffer[]>;
}

/** Append-only: the database refuses every change of a row. */
export interface AuditLog {
  id: string;
  created_at: ColumnType<Date, undefined, never>;
  /** The account whose own log shows it. */
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
  /** HTTP status; null where no request was answered. */
  status: number | null;
  request_id: string | null;
}

/** One erasure of personal data, from its request on. Ids and times only. */
interface Erasures {
  id: string;
  kind: 'account' | 'recipients';
  /** The account, for an erasure of kind `account`; it was deleted at `requested_at`. */
  account_id: string | null;
  /** For an erasure of kind `recipients`: orders that were finished before this time. */
  before: MaybeStamp;
  requested_at: Stamp;
  orders: Generated<number>;
  finished_at: MaybeStamp;
  /** Until then one process works at it. */
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
