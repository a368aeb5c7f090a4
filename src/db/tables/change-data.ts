import { erased } from '../../base/erased.js';
import { classesOf, kept, rowGone } from './classes.js';

export const priceLines = { kind: kept, quantity: kept, unitPrice: kept, amount: kept } as const;

/** Classes of the tables of changes that shippers and operators make. */
export const changeData = {
  package_answers: classesOf('package_answers', {
    kept: 'id loggi_key order_id account_id applied created_at completed_at completed_by kind day problem delivered_at movement_id',
    recipient: {
      phone: erased.phone,
      address: erased.text,
      complement: null,
      instructions: null,
      note: erased.text,
      completion_note: erased.text,
      recipient_name: erased.text,
      proof_facts: null,
    },
  }),
  address_changes: classesOf('address_changes', {
    kept: 'id loggi_key order_id account_id changed_by previous_total_centavos previous_rate_card_version new_total_centavos created_at',
    json: { previous_lines: priceLines },
    recipient: { from_address: erased.text, from_complement: null, to_address: erased.text, to_complement: null },
  }),
  package_reopenings: classesOf('package_reopenings', {
    kept: 'movement_id loggi_key order_id operator_id created_at',
    recipient: { reason: erased.text },
  }),
  package_returns: classesOf('package_returns', { kept: 'order_id loggi_key' }),
};

/**
 * Classes of the tables of statements. Retention and erasure leave their rows, because a closed statement must not
 * change.
 */
export const ledgerData = {
  ledger_entries: classesOf('ledger_entries', {
    kept: 'id account_id at kind order_id external_id loggi_key service payment_method_id centavos',
  }),
  statements: classesOf('statements', {
    kept: 'account_id month line_count total_centavos sha256_pt sha256_en closed_at',
    json: { sums: { service: kept, paymentMethodId: kept, lineCount: kept, centavos: kept } },
  }),
  rate_tables: classesOf('rate_tables', {
    kept: 'key account_id service weights file asked_at made_at used_at',
    account: { pickup_postal_code: rowGone },
  }),
  closed_months: classesOf('closed_months', { kept: 'month closed_at' }),
};
