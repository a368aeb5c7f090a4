import type { JSONColumnType } from 'kysely';
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

export type CorrectedField = 'phone' | 'address' | 'instructions';

/** A shipper's answer for a package that waits, which is also the operator's task. */
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
