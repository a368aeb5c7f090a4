import { sql } from 'kysely';
import { NIL } from 'uuid';
import { type Listed, offsetOf, type Page } from '../../base/page.js';
import type { Db } from '../../db/connect.js';
import { idsOf, type StatementSums } from './lines.js';
import type { Month } from './months.js';
import { type Closing, firstDay, storedStatements, sumsOf } from './statements.js';

/** The statement of one account in a list of all accounts. */
export interface AccountStatement extends StatementSums {
  accountId: string;
  name: string;
  closing: Closing | undefined;
}

/**
 * SQL condition: the account has lines in the month. It finds the first line since the month's start, and checks that
 * it is before the end.
 */
const hasLines = (month: Month) => {
  const first = (table: string, time: string, ids = sql`true`) => sql`(
    select ${sql.ref(time)} from ${sql.table(table)}
    where account_id = account.id and (${sql.ref(time)}, id) > (${month.from}::timestamptz, ${NIL}::uuid) and ${ids}
    order by ${sql.ref(time)}, id limit 1)`;
  const ofOrders = first('orders', 'created_at', sql`id >= ${idsOf(month)[0]}::uuid`);
  return sql`least(${ofOrders}, ${first('ledger_entries', 'at')}) < ${month.until}`;
};

/**
 * Ids of the accounts with lines in a month, including deleted accounts. With `notClosed`, only those whose month is
 * open.
 */
export async function accountsWithLines(db: Db, month: Month, { notClosed = false } = {}): Promise<string[]> {
  const isOpen = notClosed
    ? sql`not exists (select from statements s where s.account_id = account.id and s.month = ${firstDay(month)}::date)`
    : sql`true`;
  const { rows } = await sql<{ id: string }>`
    select id from accounts account where ${isOpen} and ${hasLines(month)} order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the month's statements of all accounts with lines in it, by name of the account. */
export async function listAccountStatements(db: Db, month: Month, page: Page): Promise<Listed<AccountStatement>> {
  const { rows } = await sql<{ id: string; name: string; total: string }>`
    select id, name, count(*) over () as total from accounts account where ${hasLines(month)}
    order by lower(name), id limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  const closed = await storedStatements(
    db,
    rows.map(({ id }) => id),
    month,
  );
  const statements: AccountStatement[] = [];
  for (const { id: accountId, name } of rows) {
    const { closing, ...sums } = closed.get(accountId) ?? {
      closing: undefined,
      ...(await sumsOf(db, accountId, month)),
    };
    statements.push({ accountId, name, closing, ...sums });
  }
  const total = rows[0] ? Number(rows[0].total) : (await accountsWithLines(db, month)).length;
  return { rows: statements, total };
}

/** The names of accounts, including deleted ones. */
export async function namesOfAccounts(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from accounts where id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
