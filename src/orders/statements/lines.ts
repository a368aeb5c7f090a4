import { sql } from 'kysely';
import { NIL } from 'uuid';
import { DAY_MS } from '../../base/clock.js';
import { firstIdAt, lastIdAt } from '../../base/ids.js';
import type { Centavos } from '../../base/money.js';
import type { Db } from '../../db/connect.js';
import type { LedgerKind } from '../../db/tables/ledger.js';
import type { Service } from '../../db/tables/prices.js';
import type { Month } from './months.js';

/** A line: an order with its first price, or the amount that a later change added. */
export interface StatementLine {
  at: Date;
  id: string;
  kind: LedgerKind;
  accountId: string;
  orderId: string;
  externalId: string | null;
  /** The package that was cancelled or returned, or got a new address. */
  loggiKey: string | null;
  service: Service;
  paymentMethodId: number;
  centavos: Centavos;
}

/** The lines of a month, for one account or for all. */
export interface LineRange {
  month: Pick<Month, 'from' | 'until'>;
  accountId: string | undefined;
}

/** Lines per read, so that memory stays flat and no statement takes long. */
const MAX_PAGE_LINES = 1_000;

/** Reads the lines of a month, oldest first. Each page is read when it is needed. */
export async function* pagesOfLines(db: Db, range: LineRange): AsyncGenerator<StatementLine[]> {
  let last: Position = { at: range.month.from, id: NIL };
  for (;;) {
    const lines = await readLines(db, range, last);
    const end = lines.at(-1);
    if (end) yield lines;
    if (!end || lines.length < MAX_PAGE_LINES) return;
    last = end;
  }
}

type Position = Pick<StatementLine, 'at' | 'id'>;

type LineRow = Omit<StatementLine, 'centavos'> & { centavos: string };

/**
 * Bounds of the ids of a month's orders, for finding their partitions. The clocks of ids and times differ by at most a
 * day.
 */
export const idsOf = ({ from, until }: LineRange['month']): [first: string, last: string] => [
  firstIdAt(from.getTime() - DAY_MS),
  lastIdAt(until.getTime() + DAY_MS),
];

async function readLines(db: Db, range: LineRange, last: Position): Promise<StatementLine[]> {
  const { rows } = await linesStatement(range, last).execute(db);
  return rows.map(({ centavos, ...line }) => ({ ...line, centavos: Number(centavos) }));
}

/**
 * Reads a page. Each order has one line, because retention replaces an order's row by a ledger entry. The end of the
 * month filters the rows that were read. As a second bound it would make the planner expect few rows, and sort all of
 * them instead of reading a page by the index.
 */
function linesStatement({ month, accountId }: LineRange, last: Position) {
  const own = accountId === undefined ? sql`true` : sql`account_id = ${accountId}::uuid`;
  return sql<LineRow>`
    select lines.at, lines.id, lines.kind, lines.account_id as "accountId", lines.order_id as "orderId",
      lines.external_id as "externalId", lines.loggi_key as "loggiKey", lines.service,
      lines.payment_method_id as "paymentMethodId", lines.centavos
    from (
      select created.created_at as at, created.id,
        case when back.order_id is null then 'order_created' else 'return_created' end as kind,
        created.account_id, created.id as order_id, created.external_id, back.loggi_key, created.service,
        created.payment_method_id,
        created.total_centavos - (
          select coalesce(sum(centavos), 0)::bigint from ledger_entries change where change.order_id = created.id
        ) as centavos
      from (
        select * from orders
        where ${own} and (created_at, id) > (${last.at}::timestamptz, ${last.id}::uuid) and id >= ${idsOf(month)[0]}::uuid
        order by created_at, id limit ${MAX_PAGE_LINES}) created
      left join package_returns back on back.order_id = created.id
      union all
      (select at, id, kind, account_id, order_id, external_id, loggi_key, service, payment_method_id, centavos
        from ledger_entries
        where ${own} and (at, id) > (${last.at}::timestamptz, ${last.id}::uuid)
        order by at, id limit ${MAX_PAGE_LINES})) lines
    where lines.at < ${month.until}::timestamptz
    order by lines.at, lines.id limit ${MAX_PAGE_LINES}`;
}

/** The sum of lines of one service and payment method. */
export interface StatementSum {
  service: Service;
  paymentMethodId: number;
  lineCount: number;
  centavos: Centavos;
}

export interface StatementSums {
  lineCount: number;
  totalCentavos: Centavos;
  sums: StatementSum[];
}

/** Sums lines up, page by page. */
export function createSums() {
  const sums = new Map<string, StatementSum>();
  return {
    add: (lines: readonly StatementLine[]): void => {
      for (const { service, paymentMethodId, centavos } of lines) {
        const key = `${paymentMethodId} ${service}`;
        const sum = sums.get(key) ?? { service, paymentMethodId, lineCount: 0, centavos: 0 };
        sums.set(key, { ...sum, lineCount: sum.lineCount + 1, centavos: sum.centavos + centavos });
      }
    },
    result: (): StatementSums => summed([...sums.values()]),
  };
}

export const summed = (sums: readonly StatementSum[]): StatementSums => ({
  lineCount: sums.reduce((count, each) => count + each.lineCount, 0),
  totalCentavos: sums.reduce((total, { centavos }) => total + centavos, 0),
  sums: [...sums].sort(
    (a, b) => a.paymentMethodId - b.paymentMethodId || (a.service < b.service ? 1 : a.service > b.service ? -1 : 0),
  ),
});
