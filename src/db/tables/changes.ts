import type { Generated, JSONColumnType } from 'kysely';
import type { Big, MaybeStamp, Stamp } from '../columns.js';

export interface PriceLine {
  kind: 'base' | 'distance' | 'weight' | 'extra_stop' | 'line_haul' | 'ad_valorem';
  /** Pieces, km or kg. */
  quantity: number;
  /** Centavos. */
  unitPrice: number;
  /** Centavos. */
  amount: number;
}

export type CorrectedField = 'phone' | 'address' | 'instructions' | 'name';
export const requestKinds = ['stop_and_return', 'new_attempt', 'hold', 'correct_recipient', 'inquiry'] as const;
export type RequestKind = (typeof requestKinds)[number];
export type TaskKind = RequestKind | 'answer';
export const inquiryProblems = ['late', 'not_received', 'damaged', 'missing_items'] as const;
export type InquiryProblem = (typeof inquiryProblems)[number];

/** A task of the operator: a shipper's answer for a package that waits, or a shipper's request. */
export interface PackageAnswers {
  id: string;
  loggi_key: string;
  order_id: string;
  account_id: string;
  phone: string | null;
  address: string | null;
  complement: string | null;
  instructions: string | null;
  note: string | null;
  /** The corrections that are on the package. */
  applied: CorrectedField[];
  created_at: Stamp;
  completed_at: MaybeStamp;
  completed_by: string | null;
  completion_note: string | null;
  kind: Generated<TaskKind>;
  /** YYYY-MM-DD: of the new attempt, or the end of the hold. */
  day: string | null;
  recipient_name: string | null;
  problem: InquiryProblem | null;
  /** The sealed proof of delivery as it was when the shipper inquired. */
  proof_facts: Buffer | null;
  delivered_at: Date | null;
  /** The movement that completed it. */
  movement_id: string | null;
}

export interface AddressChanges {
  id: string;
  loggi_key: string;
  order_id: string;
  account_id: string;
  changed_by: string;
  from_address: string;
  from_complement: string | null;
  to_address: string;
  to_complement: string | null;
  /** The order's price; null, like the next three, if its price stayed. */
  previous_lines: JSONColumnType<PriceLine[]> | null;
  previous_total_centavos: Big | null;
  previous_rate_card_version: number | null;
  new_total_centavos: Big | null;
  created_at: Stamp;
}

interface PackageReturns {
  order_id: string;
  /** The package that is taken back. */
  loggi_key: string;
}

/** An operator took back a final status that was recorded by mistake; the movement says which. */
export interface PackageReopenings {
  movement_id: string;
  loggi_key: string;
  order_id: string;
  operator_id: string;
  reason: string;
  created_at: Stamp;
}

export interface ChangeTables {
  package_answers: PackageAnswers;
  address_changes: AddressChanges;
  package_returns: PackageReturns;
  package_reopenings: PackageReopenings;
}
