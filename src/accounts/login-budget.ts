import { type RawBuilder, sql } from 'kysely';
import { invalidField, tooManyFailures } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { deleteInChunks } from '../db/delete-in-chunks.js';
import { eraseRows } from '../db/erase.js';
import { transaction } from '../db/transaction.js';
import { networkOf } from './networks.js';
import { verifyPassword } from './passwords.js';

/**
 * Counts failed logins in budgets that all processes and interfaces share
 * (contracts/guides/behaviour.md#identity-and-access). There are three budgets: for an e-mail address from one network,
 * for a network, and for an e-mail address from all networks. The address need not exist. A window begins with its
 * first failure and has a fixed length.
 *
 * An attempt is counted before the password is checked. One transaction counts it in all budgets or in none, so guesses
 * in parallel cannot exceed a budget. A successful login takes back only its own attempt.
 *
 * If the account signed in from this network lately, only the first budget can refuse. The others still count, so that
 * a login takes the same time whether the network is known or not.
 */
const span = sql`interval '15 minutes'`;
const PAIR_MOST = 10;
const NETWORK_MOST = 50;
const EMAIL_MOST = 100;
const ACCOUNT_MOST = 10;
const CODE_MOST = 100;

/** A budget: the SQL of its key, and the maximum of failures. With `max` null it counts but never refuses. */
interface Budget {
  subject: RawBuilder<string>;
  max: number | null;
}

interface LoginAttempt {
  email: string;
  ip: string;
  networkKnown: boolean;
}

export function loginBudgets({ email, ip, networkKnown }: LoginAttempt): Budget[] {
  const network = hashOfNetwork(ip);
  return [
    { subject: sql`${pairsOf(email)} || ${network}`, max: PAIR_MOST },
    { subject: sql`'network:' || ${network}`, max: networkKnown ? null : NETWORK_MOST },
    { subject: emailSubject(email), max: networkKnown ? null : EMAIL_MOST },
  ];
}

/**
 * The budgets of guesses about a tracking code, whether it exists or not. They count guesses for this code from one
 * network, for all codes from one network, and for this code from all networks. So the mistakes of one person do not
 * lock the code for another.
 */
export function lookUpBudgets(trackingCode: string, ip: string): Budget[] {
  const [code, network] = [hash(sql`${trackingCode}::text`), hashOfNetwork(ip)];
  return [
    { subject: sql`'look-up:' || ${code} || ':' || ${network}`, max: PAIR_MOST },
    { subject: sql`'look-up:' || ${network}`, max: NETWORK_MOST },
    { subject: sql`'code:' || ${code}`, max: CODE_MOST },
  ];
}

/** The budget of wrong current passwords. It counts by account, so a new e-mail address does not reset it. */
export const accountBudgets = (accountId: string): Budget[] => [
  { subject: accountSubject(accountId), max: ACCOUNT_MOST },
];

const hash = (text: RawBuilder<unknown>) => sql<string>`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
const hashOfNetwork = (ip: string) => hash(sql`${networkOf(ip) ?? 'unknown'}::text`);
// The unique index ignores case, too. Otherwise each spelling of an address would have its own budget.
const hashOfEmail = (email: string) => hash(sql`lower(${email}::text)`);
const pairsOf = (email: string) => sql<string>`'pair:' || ${hashOfEmail(email)} || ':'`;
const emailSubject = (email: string) => sql<string>`'email:' || ${hashOfEmail(email)}`;
const accountSubject = (accountId: string) => sql<string>`${`account:${accountId}`}::text`;

interface CountedAttempt {
  subject: string;
  window: string;
}

type AttemptResult =
  | { granted: true; succeeded: boolean }
  /** A budget is used up. Nothing was counted or checked. */
  | { granted: false; retryAfterSeconds: number };

/** Rolls back the counts when one budget is used up. */
class BudgetError extends Error {
  override name = 'BudgetError';
}

/**
 * Counts an attempt in each budget and makes it. If a budget is used up, it does neither. Only failures stay counted.
 */
export async function spendAttempt(
  db: Db,
  budgets: readonly Budget[],
  check: () => Promise<boolean>,
): Promise<AttemptResult> {
  const counted = await transaction(db, (trx) => count(trx, budgets)).catch((error: unknown) => {
    if (error instanceof BudgetError) return undefined;
    throw error;
  });
  if (!counted) return { granted: false, retryAfterSeconds: await secondsLeft(db, budgets) };
  const succeeded = await check().catch(async (error: unknown) => {
    await giveBack(db, counted);
    throw error;
  });
  if (succeeded) await giveBack(db, counted);
  return { granted: true, succeeded };
}

/** A user or a member. Wrong current passwords count in its own budget. */
interface PasswordHolder {
  id: string;
  /** Null if no password is set: then no password matches. */
  passwordHash: string | null;
}

export const wrongPassword = () => invalidField('currentPassword', 'incorrect', 'is not the current password');

/**
 * Demands the current password before credentials change. Wrong passwords count, so a thief of a token cannot guess.
 * Throws VALIDATION_ERROR on `currentPassword`, and RATE_LIMITED after ten wrong ones.
 */
export async function provePassword(db: Db, { id, passwordHash }: PasswordHolder, password: string): Promise<void> {
  const verify = async () => passwordHash !== null && verifyPassword(passwordHash, password);
  const attempt = await spendAttempt(db, accountBudgets(id), verify);
  if (!attempt.granted) throw tooManyFailures(attempt);
  if (!attempt.succeeded) throw wrongPassword();
}

const isOver = (row: string) => {
  const { failures, window } = { failures: sql.ref(`${row}.failures`), window: sql.ref(`${row}.window_started_at`) };
  return sql<boolean>`(${failures} = 0 or ${window} <= now() - ${span})`;
};

const tableOf = (budgets: readonly Budget[]) =>
  sql`budgets (subject, max) as (values ${sql.join(budgets.map(({ subject, max }) => sql`(${subject}, ${max}::integer)`))})`;

// While a budget is used up, refusals write nothing. Rows are locked in the order of the subjects, so attempts cannot
// deadlock.
async function count(trx: Db, budgets: readonly Budget[]): Promise<CountedAttempt[]> {
  const { rows } = await sql<CountedAttempt & { exceeded: boolean | null }>`
    with ${tableOf(budgets)}
    insert into login_failures as counted (subject, failures)
    select subject, 1 from budgets
    where not exists (select 1 from budgets join login_failures used using (subject) where failures >= max and not ${isOver('used')})
    order by subject
    on conflict (subject) do update set
      failures = case when ${isOver('counted')} then 1 else counted.failures + 1 end,
      window_started_at = case when ${isOver('counted')} then now() else counted.window_started_at end
    returning subject, window_started_at::text as "window",
      failures > (select max from budgets where budgets.subject = counted.subject) as exceeded`.execute(trx);
  if (rows.length === 0 || rows.some(({ exceeded }) => exceeded)) throw new BudgetError();
  return rows;
}

async function secondsLeft(db: Db, budgets: readonly Budget[]): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    with ${tableOf(budgets)}
    select ceil(extract(epoch from max(window_started_at) + ${span} - now()))::int as seconds
    from budgets join login_failures used using (subject)
    where failures >= max and not ${isOver('used')}`.execute(db);
  return Math.max(1, rows[0]?.seconds ?? 1);
}

/** Takes the attempts off their budgets again. Attempts of an ended window are already gone. */
async function giveBack(db: Db, attempts: readonly CountedAttempt[]): Promise<void> {
  await sql`
    with released as (
      select subject from login_failures
      join unnest(
        ${attempts.map(({ subject }) => subject)}::text[], ${attempts.map(({ window }) => window)}::timestamptz[]
      ) as attempt (subject, window_started_at) using (subject, window_started_at)
      where failures > 0 order by subject for update of login_failures
    )
    update login_failures set failures = failures - 1 from released
    where login_failures.subject = released.subject`.execute(db);
}

/** Resets the budgets of an account: of its e-mail address from all networks, and of its current password. */
export async function clearBudgets(db: Db, { id, email }: { id: string; email: string }): Promise<void> {
  const isOf = sql<boolean>`
    subject in (${emailSubject(email)}, ${accountSubject(id)}) or starts_with(subject, ${pairsOf(email)})`;
  await eraseRows(db, 'login_failures', 'account', isOf);
}

export const sweepLoginFailures = (db: Db): Promise<number> =>
  deleteInChunks(db, 'login_failures', 'subject', sql`window_started_at <= now() - ${span}`);
