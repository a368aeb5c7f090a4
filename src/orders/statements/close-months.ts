import { sql } from 'kysely';
import { newId } from '../../base/ids.js';
import type { Db } from '../../db/connect.js';
import { holdLease, releaseLease } from '../../db/health/leases.js';
import { row } from '../../db/row.js';
import { accountsWithLines } from './account-statements.js';
import { createSums, pagesOfLines } from './lines.js';
import { type Month, monthAfter, monthAt } from './months.js';
import { createDigest } from './statement-file.js';
import { databaseNow, firstDay } from './statements.js';

const LEASE = 'statements';
const LEASE_MS = 300_000;
/** The name under which this process holds the lease. */
const holder = newId();

/** Runs `closeMonths` unless another process does. */
export async function closeMonthsAlone(db: Db): Promise<number> {
  const lease = { name: LEASE, holder };
  const isMine = async () => (await holdLease(db, lease, LEASE_MS)).isMine;
  if (!(await isMine())) return 0;
  const closed = await closeMonths(db, isMine);
  await releaseLease(db, lease);
  return closed.length;
}

/**
 * Closes the months that are due, oldest first, for each account with lines in them. After an interruption it resumes
 * with the next account. Several processes may run it: each closing is written once.
 */
export async function closeMonths(db: Db, mayGoOn = async () => true): Promise<string[]> {
  const closed: string[] = [];
  const now = await databaseNow(db);
  for (let month = await nextToClose(db); month && month.closesAt <= now; month = monthAfter(month)) {
    for (const accountId of await accountsWithLines(db, month, { notClosed: true })) {
      if (!(await mayGoOn())) return closed;
      await closeStatement(db, accountId, month);
    }
    await db
      .insertInto('closed_months')
      .values(row<'closed_months'>({ month: firstDay(month) }))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    closed.push(month.name);
  }
  return closed;
}

/** The month after the last closed one. Without one, the month of the first line. Undefined if there are no lines. */
async function nextToClose(db: Db): Promise<Month | undefined> {
  const { rows } = await sql<{ last: Date | null; first: Date | null }>`
    select
      (select max(month)::timestamp at time zone 'America/Sao_Paulo' from closed_months) as last,
      least(
        (select created_at from orders order by created_at, id limit 1),
        (select at from ledger_entries order by at, id limit 1)) as first`.execute(db);
  const { last, first } = rows[0] ?? {};
  if (last) return monthAfter(monthAt(last));
  return first ? monthAt(first) : undefined;
}

/** Stores the sums of an account's month, and the digests of its files. If two processes do so, one counts. */
export async function closeStatement(db: Db, accountId: string, month: Month): Promise<void> {
  const sums = createSums();
  const digests = { pt: createDigest('pt-BR'), en: createDigest('en') };
  for await (const lines of pagesOfLines(db, { month, accountId })) {
    sums.add(lines);
    for (const digest of Object.values(digests)) digest.add(lines);
  }
  const result = sums.result();
  await db
    .insertInto('statements')
    .values(
      row<'statements'>({
        account_id: accountId,
        month: firstDay(month),
        line_count: result.lineCount,
        total_centavos: result.totalCentavos,
        sums: JSON.stringify(result.sums),
        sha256_pt: digests.pt.result(),
        sha256_en: digests.en.result(),
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
