import { formatMoney } from '../../base/money.js';
import type { StatementLine, StatementSum, StatementSums } from './lines.js';
import type { Month } from './months.js';
import type { Closing, Statement } from './statements.js';

// Statements in the form of the contracts of REST and of the operator's interface.

/** The state of an account's month. */
export const stateBody = (month: Month, closing: Closing | undefined) => ({
  month: month.name,
  state: closing ? ('closed' as const) : ('open' as const),
  closes_at: closing ? undefined : month.closesAt.toISOString(),
  closed_at: closing?.closedAt.toISOString(),
  csv_sha256: closing && { pt_br: closing.sha256.pt, en: closing.sha256.en },
});

export const sumsBody = ({ lineCount, totalCentavos, sums }: StatementSums) => ({
  line_count: lineCount,
  total: formatMoney(totalCentavos),
  sums: sums.map(sumBody),
});

const sumBody = ({ service, paymentMethodId, lineCount, centavos }: StatementSum) => ({
  service,
  payment_method_id: paymentMethodId,
  line_count: lineCount,
  total: formatMoney(centavos),
});

export const lineBody = (line: StatementLine) => ({
  at: line.at.toISOString(),
  kind: line.kind,
  order_id: line.orderId,
  external_id: line.externalId ?? undefined,
  loggi_key: line.loggiKey ?? undefined,
  service: line.service,
  payment_method_id: line.paymentMethodId,
  amount: formatMoney(line.centavos),
});

/** A month's statement as in lists. */
export const statementSummaryBody = ({ month, closing, ...sums }: Statement) => ({
  ...stateBody(month, closing),
  ...sumsBody(sums),
});
