import { newId } from '../../src/base/ids.js';
import type { Db } from '../../src/db/connect.js';
import { closeStatement } from '../../src/orders/statements/close-months.js';
import { monthAt } from '../../src/orders/statements/months.js';

const DAY_MS = 86_400_000;

/** Gives an account a closed month, with the line of a dropped order. Resolves to the name of the month. */
export async function closedMonth(db: Db, accountId: string): Promise<string> {
  const at = new Date(Date.now() - 70 * DAY_MS);
  const order = { order_id: newId(), service: 'express', payment_method_id: 1, centavos: 2_390 } as const;
  const line = { account_id: accountId, at, kind: 'order_created', ...order } as const;
  await db.insertInto('ledger_entries').values(line).execute();
  const month = monthAt(at);
  await closeStatement(db, accountId, month);
  return month.name;
}
