import { notFound } from '../base/errors.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import { present } from './account.js';

/** The account's own rule of fiscal documents; null where the service's setting is in force. Throws NOT_FOUND. */
export async function fiscalRuleOf(db: Db, accountId: string): Promise<FiscalRule | null> {
  const row = await db.selectFrom('accounts').select('fiscal_rule').where(present(accountId)).executeTakeFirst();
  if (!row) throw notFound('user');
  return row.fiscal_rule;
}

/** Sets it, and resolves to it. Throws NOT_FOUND. */
export async function setFiscalRule(
  db: Db,
  accountId: string,
  rule: FiscalRule | 'default',
): Promise<FiscalRule | null> {
  const own = rule === 'default' ? null : rule;
  const change = db.updateTable('accounts').set({ fiscal_rule: own }).where(present(accountId));
  const { numUpdatedRows } = await change.executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('user');
  return own;
}
