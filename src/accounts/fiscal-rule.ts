import { notFound } from '../base/errors.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';

/** The account's own rule of fiscal documents; null where the service's setting is in force. Throws NOT_FOUND. */
export async function fiscalRuleOf(db: Db, accountId: string): Promise<FiscalRule | null> {
  const query = db.selectFrom('accounts').select('fiscal_rule').where('id', '=', accountId);
  const row = await query.where('deleted_at', 'is', null).executeTakeFirst();
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
  const change = db.updateTable('accounts').set({ fiscal_rule: own }).where('id', '=', accountId);
  const { numUpdatedRows } = await change.where('deleted_at', 'is', null).executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('user');
  return own;
}
