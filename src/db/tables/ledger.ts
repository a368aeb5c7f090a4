import type { Generated, JSONColumnType } from 'kysely';
import type { Big, Stamp } from '../columns.js';
import type { Service } from './prices.js';

export type LedgerKind = 'order_created' | 'return_created' | 'package_cancelled' | 'address_changed' | 'price_changed';

/**
 * Changes of the price of an order. A trigger on `orders` adds each of them. Before retention drops an order's row, it
 * adds the first price, with the order's id.
 */
interface LedgerEntries {
  id: Generated<string>;
  account_id: string;
  at: Stamp;
  kind: Generated<LedgerKind>;
  order_id: string;
  external_id: string | null;
  loggi_key: string | null;
  service: Service;
  payment_method_id: number;
  centavos: Big;
}

export interface StoredSum {
  service: Service;
  paymentMethodId: number;
  lineCount: number;
  centavos: number;
}

/** A closed month of an account with lines in it. */
interface Statements {
  account_id: string;
  /** The first day of the month. */
  month: string;
  line_count: number;
  total_centavos: Big;
  sums: JSONColumnType<StoredSum[]>;
  /** Digests of the month's file, in Portuguese and in English, in hexadecimal. */
  sha256_pt: string;
  sha256_en: string;
  closed_at: Stamp;
}

/** Months whose statements are closed for all accounts. */
interface ClosedMonths {
  month: string;
  closed_at: Stamp;
}

export interface LedgerTables {
  ledger_entries: LedgerEntries;
  statements: Statements;
  closed_months: ClosedMonths;
}
