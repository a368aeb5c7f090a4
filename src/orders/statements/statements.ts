/**
 * # The statement of a month
 *
 * ## Who takes part
 *
 * - `orders` has the present price of each order. A trigger enters each change of it into `ledger_entries`, at its
 *   time. So the price at which an order was created is its present price without its entries: nothing more is written
 *   with an order.
 * - A change says what it was (`nameCause` completes the trigger's entry).
 * - Retention enters the orders that it drops (src/orders/retention/old-orders.ts).
 * - `pagesOfLines` reads both as the lines of a month (src/orders/statements/lines.ts). Edges send them while they are
 *   read.
 * - `closeMonths` closes each month once, and stores its sums and the digests of its files
 *   (src/orders/statements/close-months.ts).
 *
 * ## Promises
 *
 * - The lines add up to the prices of the orders. That holds for changes by a process of the release before, too.
 * - A closed month stays the same: its lines are facts with times that are over. Erasure leaves them, as none names a
 *   person, and retention puts an entry in the place of an order. The stored digests prove it.
 * - A line is in the month of its own time in America/Sao_Paulo, to the millisecond.
 *
 * Not promised: lines of cancellations before release 1.10. Such an order counts as if it had cost that from the start.
 */
import { sql } from 'kysely';
import { NIL } from 'uuid';
import { invalidField } from '../../base/errors.js';
import { type Listed, offsetOf, type Page } from '../../base/page.js';
import type { Db } from '../../db/connect.js';
import { idsWithin } from '../../db/near.js';
import { oneRow, scalar } from '../../db/one-row.js';
import type { StoredSum } from '../../db/tables/ledger.js';
import { idsOf, type StatementSum, type StatementSums, summed } from './lines.js';
import { type Month, monthAfter, monthAt, monthNamed } from './months.js';

/** The closing of an account's month, with the digests of its files in hexadecimal. */
export interface Closing {
  closedAt: Date;
  sha256: { pt: string; en: string };
}

export interface Statement extends StatementSums {
  month: Month;
  /** Undefined while the month is open. */
  closing: Closing | undefined;
}

export const databaseNow = (db: Db): Promise<Date> => scalar(db, sql<Date>`now()`);

/** Parses the name of a month. Throws VALIDATION_ERROR for a month in the future. */
export async function begunMonth(db: Db, name: string): Promise<Month> {
  const month = monthNamed(name);
  if (month.from > (await databaseNow(db))) throw invalidField('month', 'too_late', 'has not begun');
  return month;
}

interface StatementRow {
  month: string;
  line_count: number;
  total_centavos: string;
  sums: StoredSum[];
  sha256_pt: string;
  sha256_en: string;
  closed_at: Date;
}

const stored = sql.raw('month, line_count, total_centavos, sums, sha256_pt, sha256_en, closed_at');

export const firstDay = ({ name }: Month): string => `${name}-01`;

const toStatement = (row: StatementRow): Statement => ({
  month: monthNamed(row.month.slice(0, 7)),
  closing: toClosing(row),
  ...summed(row.sums),
});

const toClosing = ({
  closed_at,
  sha256_pt,
  sha256_en,
}: Pick<StatementRow, 'closed_at' | 'sha256_pt' | 'sha256_en'>) => ({
  closedAt: closed_at,
  sha256: { pt: sha256_pt, en: sha256_en },
});

/** The closing of an account's month. Undefined while the month is open, and if it has no lines. */
export async function closingOf(db: Db, accountId: string, month: Month): Promise<Closing | undefined> {
  const { rows } = await sql<StatementRow>`
    select ${stored} from statements where account_id = ${accountId} and month = ${firstDay(month)}::date`.execute(db);
  return rows[0] && toClosing(rows[0]);
}

/** The closed statements of these accounts for the month, by account. */
export async function storedStatements(db: Db, accountIds: readonly string[], month: Month) {
  const { rows } = await sql<StatementRow & { account_id: string }>`
    select account_id, ${stored} from statements
    where account_id = any(${accountIds}::uuid[]) and month = ${firstDay(month)}::date`.execute(db);
  return new Map(rows.map((row) => [row.account_id, toStatement(row)]));
}

/** The time at which a month was closed for all accounts. Undefined while it is open. */
export async function monthClosedAt(db: Db, month: Month): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select closed_at as at from closed_months where month = ${firstDay(month)}::date`.execute(db);
  return rows[0]?.at;
}

/** Lists the months of an account that have lines, latest first. */
export async function listStatements(db: Db, accountId: string, page: Page): Promise<Listed<Statement>> {
  const open = await openStatements(db, accountId);
  const { rows: counted } = await sql<{ count: number }>`
    select count(*)::integer as count from statements where account_id = ${accountId}`.execute(db);
  const shown = open.slice(offsetOf(page), offsetOf(page) + page.pageSize);
  const { rows } = await sql<StatementRow>`
    select ${stored} from statements where account_id = ${accountId} order by month desc
    limit ${page.pageSize - shown.length} offset ${Math.max(0, offsetOf(page) - open.length)}`.execute(db);
  return { rows: [...shown, ...rows.map(toStatement)], total: open.length + (counted[0]?.count ?? 0) };
}

/**
 * The open months of an account that have lines, latest first. Usually one or two; more if older ones are not closed
 * yet.
 */
async function openStatements(db: Db, accountId: string): Promise<Statement[]> {
  const { now, first } = await oneRow(
    db,
    sql<{ now: Date; first: Date | null }>`
      select now() as now, coalesce(
        (select (max(month) + interval '1 month')::timestamp at time zone 'America/Sao_Paulo' from statements
          where account_id = ${accountId}),
        least(
          (select created_at from orders where account_id = ${accountId} order by created_at, id limit 1),
          (select at from ledger_entries where account_id = ${accountId} order by at, id limit 1))) as first`,
  );
  const found: Statement[] = [];
  if (!first) return found;
  for (let month = monthAt(first); month.from <= now; month = monthAfter(month)) {
    const sums = await sumsOf(db, accountId, month);
    if (sums.lineCount > 0) found.unshift({ month, closing: undefined, ...sums });
  }
  return found;
}

/** The sums of an account's month. */
export async function sumsOf(db: Db, accountId: string, month: Month): Promise<StatementSums> {
  const inMonth = (time: string) => sql`
    (${sql.ref(time)}, id) >= (${month.from}::timestamptz, ${NIL}::uuid)
      and (${sql.ref(time)}, id) < (${month.until}::timestamptz, ${NIL}::uuid)`;
  const { rows } = await sql<Omit<StatementSum, 'centavos'> & { centavos: string }>`
    with created as materialized (
      select id, service, payment_method_id, total_centavos from orders
      where account_id = ${accountId} and ${inMonth('created_at')} and ${idsWithin('id', ...idsOf(month))}
    )
    select service, payment_method_id as "paymentMethodId", sum(lines)::integer as "lineCount",
      sum(centavos)::bigint as centavos
    from (
      select service, payment_method_id, 1 as lines, total_centavos as centavos from created
      union all
      select created.service, created.payment_method_id, 0, -change.centavos
      from created join ledger_entries change on change.order_id = created.id
      union all
      select service, payment_method_id, 1, centavos from ledger_entries
      where account_id = ${accountId} and ${inMonth('at')}) lines
    group by service, payment_method_id`.execute(db);
  return summed(rows.map(({ centavos, ...sum }) => ({ ...sum, centavos: Number(centavos) })));
}
