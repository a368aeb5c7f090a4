import { type RawBuilder, sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import { open, SealError, seal } from '../base/seal.js';
import type { Db } from '../db/connect.js';
import { answerName, type Kept } from './kept-answers.js';

/**
 * What takes the place of an answer that was erased. The request was done and must not be done again, so the key stays taken.
 */
const withdrawn: Kept = {
  kind: 'fault',
  code: 'CONFLICT',
  message: 'The answer to this Idempotency-Key was erased.',
  details: [],
  headers: {},
};

/** Answers to operators, which show what is other people's. Whoever was one until a moment ago has had its tokens ended since. */
export const toOperators = sql`account_id in (
  select id from accounts where role = 'operator' or epoch_changed_at > now() - interval '25 hours')`;

interface Row {
  account_id: string;
  operation: string;
  key: string;
  answer: Buffer;
}

const PAGE_SIZE = 200;
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Withdraws the answers kept for idempotency keys that name one of the records. `condition` is on `idempotency_keys kept`: the fewer
 * fit it, the less must be opened. An answer that does not open shows nothing to anybody, and is removed after its 24 hours.
 */
export async function withdrawAnswers(
  db: Db,
  keys: KeyRing,
  condition: RawBuilder<unknown>,
  records: ReadonlySet<string>,
): Promise<void> {
  for (let page = await read(db, condition); page.length > 0; page = await read(db, condition, page.at(-1))) {
    for (const row of page) if (names(keys, row, records)) await withdraw(db, keys, row);
    if (page.length < PAGE_SIZE) return;
  }
}

async function read(db: Db, condition: RawBuilder<unknown>, after?: Row): Promise<Row[]> {
  const rest = after
    ? sql`(account_id, operation, key) > (${after.account_id}, ${after.operation}, ${after.key})`
    : sql`true`;
  const { rows } = await sql<Row>`
    select account_id, operation, key, answer from idempotency_keys kept where ${condition} and ${rest}
    order by account_id, operation, key limit ${PAGE_SIZE}`.execute(db);
  return rows;
}

function names(keys: KeyRing, row: Row, records: ReadonlySet<string>): boolean {
  try {
    const text = open(keys, row.answer, nameOf(row)).toString('utf8');
    return (text.match(UUIDS) ?? []).some((id) => records.has(id));
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const nameOf = ({ account_id: accountId, operation, key }: Row): string => answerName({ accountId, operation, key });

async function withdraw(db: Db, keys: KeyRing, row: Row): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer: seal(keys, JSON.stringify(withdrawn), nameOf(row)) })
    .where('account_id', '=', row.account_id)
    .where('operation', '=', row.operation)
    .where('key', '=', row.key)
    .execute();
}

/** Removes up to 1 000 answers that were kept for an account; resolves to their number. */
export async function removeAnswersTo(db: Db, accountId: string): Promise<number> {
  const removed = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where account_id = ${accountId} limit 1000))`.execute(db);
  return Number(removed.numAffectedRows ?? 0);
}
