import { classesOf, kept } from './classes.js';

/** Classes of the tables of statements. Retention and erasure leave their rows: a closed statement stays the same. */
export const ledgerData = {
  ledger_entries: classesOf('ledger_entries', {
    kept: 'id account_id at kind order_id external_id loggi_key service payment_method_id centavos',
  }),
  statements: classesOf('statements', {
    kept: 'account_id month line_count total_centavos sha256_pt sha256_en closed_at',
    json: { sums: { service: kept, paymentMethodId: kept, lineCount: kept, centavos: kept } },
  }),
  closed_months: classesOf('closed_months', { kept: 'month closed_at' }),
};
