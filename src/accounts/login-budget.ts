import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { networkOf } from './network.js';

/**
 * The budget of failed logins (contracts/decisions.md, "login failures"): ten in 15 minutes for each e-mail address, known or
 * not, and for each network, over all processes and interfaces. The window is fixed and begins with its first failure.
 *
 * An attempt is counted before the password is looked at, in one statement on the row of its subject, so guesses in parallel
 * cannot exceed the budget. A login that succeeds gives back its own attempt and nothing else: whoever knows one password
 * cannot clear the failures of his network, nor an owner's login those of whom is guessing at him.
 */
const most = 10;
const span = sql`interval '15 minutes'`;

/** What attempts are counted for, as the SQL of its key. */
export type Subject = RawBuilder<string>;

// Lower case as the unique index sees it: two spellings of one account's address must not have a budget each.
export const emailSubject = (email: string): Subject =>
  sql<string>`'email:' || encode(sha256(convert_to(lower(${email}::text), 'UTF8')), 'hex')`;

export const networkSubject = (ip: string): Subject => sql<string>`${`network:${networkOf(ip)}`}::text`;

/** One counted attempt, and the window that it was counted in. */
interface Attempt {
  subject: string;
  window: string;
}

export type Reservation =
  | { granted: true; attempts: readonly Attempt[] }
  /** Nothing was counted. */
  | { granted: false; retryAfterSeconds: number };

/** Counts one attempt for each subject, or for none of them when one has used its budget up. */
export async function reserveAttempt(db: Db, subjects: readonly Subject[]): Promise<Reservation> {
  const attempts: Attempt[] = [];
  for (const subject of subjects) {
    const attempt = await count(db, subject);
    if (!attempt) {
      await releaseAttempt(db, attempts);
      return { granted: false, retryAfterSeconds: await secondsLeft(db, subject) };
    }
    attempts.push(attempt);
  }
  return { granted: true, attempts };
}

/** Gives back attempts that turned out not to be failures. Those whose window has ended are gone already. */
export async function releaseAttempt(db: Db, attempts: readonly Attempt[]): Promise<void> {
  for (const { subject, window } of attempts) {
    await db
      .updateTable('login_failures')
      .set({ failures: sql<number>`failures - 1` })
      .where('subject', '=', subject)
      .where('window_started_at', '=', sql<Date>`${window}::timestamptz`)
      .where('failures', '>', 0)
      .execute();
  }
}

const over = sql<boolean>`(kept.failures = 0 or kept.window_started_at <= now() - ${span})`;

async function count(db: Db, subject: Subject): Promise<Attempt | undefined> {
  const { rows } = await sql<Attempt>`
    insert into login_failures as kept (subject, failures) values (${subject}, 1)
    on conflict (subject) do update set
      failures = case when ${over} then 1 else kept.failures + 1 end,
      window_started_at = case when ${over} then now() else kept.window_started_at end
    where kept.failures < ${most} or ${over}
    returning subject, window_started_at::text as "window"`.execute(db);
  return rows[0];
}

async function secondsLeft(db: Db, subject: Subject): Promise<number> {
  const row = await db
    .selectFrom('login_failures')
    .select(sql<number>`ceil(extract(epoch from window_started_at + ${span} - now()))::int`.as('seconds'))
    .where('subject', '=', subject)
    .executeTakeFirst();
  return Math.max(1, row?.seconds ?? 1);
}

/** Removes the rows whose window has ended; resolves to their number. */
export async function sweepLoginFailures(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('login_failures')
    .where('window_started_at', '<=', sql<Date>`now() - ${span}`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
