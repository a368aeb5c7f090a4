import type { Generated, JSONColumnType } from 'kysely';
import type { Big, MaybeStamp, Stamp } from '../columns.js';

export interface PriceLine {
  kind: 'base' | 'distance' | 'weight' | 'extra_stop' | 'line_haul' | 'ad_valorem';
  /** In pieces, km or kg. */
  quantity: number;
  /** In centavos. */
  unitPrice: number;
  /** In centavos. */
  amount: number;
}

export type CorrectedField = 'phone' | 'address' | 'instructions' | 'name';
export const requestKinds = ['stop_and_return', 'new_attempt', 'hold', 'correct_recipient', 'inquiry'] as const;
export type RequestKind = (typeof requestKinds)[number];
export type TaskKind = RequestKind | 'answer';
export const inquiryProblems = ['late', 'not_received', 'damaged', 'missing_items'] as const;
export type InquiryProblem = (typeof inquiryProblems)[number];

/** A task of the operator: a shipper's answer about a waiting package, or a shipper's request. */
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
  /** The corrections that were applied to the package. */
  applied: CorrectedField[];
  created_at: Stamp;
  completed_at: MaybeStamp;
  completed_by: string | null;
  completion_note: string | null;
  kind: Generated<TaskKind>;
  /** `YYYY-MM-DD`: the day of the new attempt, or the end of the hold. */
  day: string | null;
  recipient_name: string | null;
  problem: InquiryProblem | null;
  /** The sealed proof of delivery, as of the time of the inquiry. */
  proof_facts: Buffer | null;
  delivered_at: Date | null;
  /** The movement that completed the task. */
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
  /** The order's previous price. Null, like the next three columns, if the price did not change. */
  previous_lines: JSONColumnType<PriceLine[]> | null;
  previous_total_centavos: Big | null;
  previous_rate_card_version: number | null;
  new_total_centavos: Big | null;
  created_at: Stamp;
}

interface PackageReturns {
  order_id: string;
  /** The package that goes back. */
  loggi_key: string;
}

/** A final status that an operator took back as a mistake. The movement tells which one. */
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
