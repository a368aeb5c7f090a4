import { sql } from 'kysely';
import { type DetailCode, invalid } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import { transaction } from '../db/transaction.js';
import { cardsOf, demandStart, type RateCard, STANDARD } from './rate-cards.js';

// An account has the rate card of a name: `standard`, or a name that the operator gave it from a day on. A name can be
// given only if a card of it is in force on that day. So every account has a card at every time.

/** SQL for the name of the rate card that an account has at the time `at`. */
const nameSql = (account: string, at: string): string =>
  `coalesce((
    select name from account_rate_cards of_account
    where of_account.account_id = ${account} and of_account.valid_from <= ${at}
    order by valid_from desc limit 1), '${STANDARD}')`;

/** SQL for the version of the rate card that prices the orders of an account at the time `at`. */
export const cardVersionSql = (account: string, at = 'now()'): string =>
  `(select version from rate_cards
    where name = ${nameSql(account, at)} and rate_cards.valid_from <= ${at}
    order by rate_cards.valid_from desc, version desc limit 1)`;

/** SQL for the time from which another card may price orders of an account. Null if no change is announced. */
export const nextCardSql = (account: string): string =>
  `least(
    (select min(valid_from) from rate_cards where name = ${nameSql(account, 'now()')} and valid_from > now()),
    (select min(valid_from) from account_rate_cards of_account
      where of_account.account_id = ${account} and of_account.valid_from > now()))`;

export interface TimedCard {
  name: string;
  validFrom: Date;
  card: RateCard;
}

export interface AccountCards {
  current: TimedCard;
  announced: TimedCard | undefined;
}

interface CardsRow {
  name: string;
  version: number;
  since: Date | null;
  next: Date | null;
  next_name: string;
  /** Null if no other card is announced. */
  next_version: number | null;
}

/** Reads the card that prices new orders of an account, and the one that follows. */
export async function cardsOfAccount(db: Db, accountId: string): Promise<AccountCards> {
  const { rows } = await sql<CardsRow>`
    select ${sql.raw(nameSql('id', 'now()'))} as name, ${sql.raw(cardVersionSql('id'))} as version,
      (select max(valid_from) from account_rate_cards given where given.account_id = id and valid_from <= now()) as since,
      next, ${sql.raw(nameSql('id', 'next'))} as next_name, ${sql.raw(cardVersionSql('id', 'next'))} as next_version
    from (select id, ${sql.raw(nextCardSql('id'))} as next from (select ${accountId}::uuid as id) account) times`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw new Error('an account has no row of cards');
  const { name, version, since, next, next_name, next_version } = found;
  const cards = await cardsOf(db, [version, ...(next_version === null ? [] : [next_version])]);
  const card = cardIn(cards, version);
  const isGivenLater = since !== null && since > card.valid_from;
  return {
    current: { name, validFrom: isGivenLater ? since : card.valid_from, card },
    announced:
      next && next_version !== null
        ? { name: next_name, validFrom: next, card: cardIn(cards, next_version) }
        : undefined,
  };
}

export function cardIn(cards: ReadonlyMap<number, RateCard>, version: number): RateCard {
  const card = cards.get(version);
  if (!card) throw new Error(`there is no rate card ${version}`);
  return card;
}

/** Reads the cards that price new orders of these accounts. */
export async function cardByAccount(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, RateCard>> {
  const { rows } = await sql<{ id: string; version: number }>`
    select id, ${sql.raw(cardVersionSql('id'))} as version from unnest(${accountIds}::uuid[]) id`.execute(db);
  const cards = await cardsOf(db, [...new Set(rows.map(({ version }) => version))]);
  return new Map(rows.map(({ id, version }) => [id, cardIn(cards, version)]));
}

/** Reads the cards in force that price the orders of any account, or would price those of a new one. */
export async function cardsInUse(db: Db): Promise<RateCard[]> {
  const { rows } = await sql<{ version: number }>`
    select distinct ${sql.raw(cardVersionSql('id'))} as version
    from (select null::uuid as id union select account_id from account_rate_cards) account
    order by version`.execute(db);
  const versions = rows.map(({ version }) => version);
  const cards = await cardsOf(db, versions);
  return versions.map((version) => cardIn(cards, version));
}

export interface CardOfAccount {
  name: string;
  /** The first day, in America/Sao_Paulo. Today means at once. */
  from: string;
}

/**
 * Gives an account the rate cards of a name from a day on. This replaces an earlier announcement. Throws
 * VALIDATION_ERROR for a name without a card in force on that day, and for a day in the past or too far ahead.
 */
export async function giveCard(db: Db, accountId: string, { name, from }: CardOfAccount): Promise<void> {
  await transaction(db, async (trx) => {
    await sql`lock table account_rate_cards in share row exclusive mode`.execute(trx);
    const validFrom = await beginOf(trx, from);
    await demandCard(trx, name, validFrom);
    await trx
      .deleteFrom('account_rate_cards')
      .where('account_id', '=', accountId)
      .where('valid_from', '>', sql<Date>`now()`)
      .execute();
    await trx
      .insertInto('account_rate_cards')
      .values(row<'account_rate_cards'>({ account_id: accountId, name, valid_from: validFrom }))
      .onConflict((conflict) => conflict.columns(['account_id', 'valid_from']).doUpdateSet({ name }))
      .execute();
  });
}

/** The first moment of a day, to the microsecond. For today it is now, because the past does not change. */
async function beginOf(trx: Db, from: string): Promise<string> {
  const { rows } = await sql<{ now: string; begin: string; isToday: boolean }>`
    select now()::text as now, (${from}::date::timestamp at time zone 'America/Sao_Paulo')::text as begin,
      ${from}::date = (now() at time zone 'America/Sao_Paulo')::date as "isToday"`.execute(trx);
  const [time] = rows;
  if (!time) throw new Error('the database has no time');
  if (time.isToday) return time.now;
  await demandStart(trx, 'from', time.begin);
  return time.begin;
}

async function demandCard(trx: Db, name: string, at: string): Promise<void> {
  const { rows } = await sql<{ count: string; begun: string }>`
    select count(*) as count, count(*) filter (where valid_from <= ${at}::timestamptz) as begun
    from rate_cards where name = ${name}`.execute(trx);
  const refuse = (field: string, code: DetailCode, message: string) => invalid([{ field, code, message }]);
  if (rows[0]?.count === '0') throw refuse('name', 'not_found', 'is not the name of a rate card');
  if (rows[0]?.begun === '0') throw refuse('from', 'too_early', 'is before the first card of this name begins');
}
