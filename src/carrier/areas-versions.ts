import { CompiledQuery, type Selectable, sql } from 'kysely';
import { invalid } from '../base/errors.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { together } from '../db/read-together.js';
import { row } from '../db/row.js';
import type { Area, ServiceAreas } from '../db/tables/areas.js';
import { transaction } from '../db/transaction.js';
import { cardIn, cardVersionSql } from './account-cards.js';
import { type AreaIndex, indexOfAreas } from './areas.js';
import { areaErrors, placeCount } from './areas-errors.js';
import { cardsOf } from './rate-cards.js';

export type AreasVersion = Selectable<ServiceAreas>;

export interface NewAreas {
  /** At once when it is undefined. */
  validFrom: Date | undefined;
  areas: readonly Area[];
}

/** Throws VALIDATION_ERROR for areas that would leave a place without an answer, or with two. */
export function demandAreas(areas: readonly Area[]): void {
  const errors = areaErrors(areas);
  if (errors.length > 0) throw invalid(errors);
}

/** Adds the next version, whole or not at all. Throws VALIDATION_ERROR as `demandAreas` does. */
export async function addAreas(db: Db, { validFrom, areas }: NewAreas): Promise<AreasVersion> {
  demandAreas(areas);
  return transaction(db, async (trx) => {
    await sql`lock table service_areas in share row exclusive mode`.execute(trx);
    if (validFrom) await demandFuture(trx, validFrom);
    return trx
      .insertInto('service_areas')
      .values(({ selectFrom }) =>
        row<'service_areas'>({
          version: selectFrom('service_areas').select(sql<number>`coalesce(max(version), 0) + 1`.as('version')),
          valid_from: validFrom ?? sql<Date>`now()`,
          place_count: placeCount(areas),
          areas: JSON.stringify(areas),
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** A minute late is at once: clocks differ. */
async function demandFuture(trx: Db, validFrom: Date): Promise<void> {
  const { rows } = await sql<{ isOver: boolean }>`
    select ${validFrom}::timestamptz < now() - interval '1 minute' as "isOver"`.execute(trx);
  if (rows[0]?.isOver) throw invalid([{ field: 'validFrom', code: 'too_early', message: 'must not be over' }]);
}

/** The version in force: of those whose time has come the one with the latest time, and of several such the newest. */
const inForce = (columns: string): string =>
  `select ${columns} from service_areas where valid_from <= now() order by valid_from desc, version desc limit 1`;

export async function currentAreas(db: Db): Promise<AreasVersion | undefined> {
  const { rows } = await sql.raw<AreasVersion>(inForce('*')).execute(db);
  return rows[0];
}

export const getAreas = (db: Db, version: number): Promise<AreasVersion | undefined> =>
  db.selectFrom('service_areas').selectAll().where('version', '=', version).executeTakeFirst();

export type AreasSummary = Omit<AreasVersion, 'areas'> & { in_force: boolean };

export async function listAreas(db: Db, page: Page): Promise<Listed<AreasSummary>> {
  const isInForce = sql<boolean>`version is not distinct from (${sql.raw(inForce('version'))})`.as('in_force');
  const rows = await db
    .selectFrom('service_areas')
    .select(['version', 'valid_from', 'place_count', 'created_at', isInForce])
    .orderBy('version', 'desc')
    .limit(page.pageSize)
    .offset(offsetOf(page))
    .execute();
  const { total } = await db
    .selectFrom('service_areas')
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/**
 * SQL of the version in force as JSON, null when there is none. A process that names the version it knows gets only its
 * number. So a statement of every order reads a few bytes, and every process follows a new version at once.
 */
export const areasInForceSql = (knownVersion: string): string =>
  `(select json_build_object('version', version, 'areas', areas) from (${inForce(
    `version, case when version is distinct from ${knownVersion} then areas end as areas`,
  )}) areas_in_force)`;

export interface AreasInForce {
  version: number;
  areas: Area[] | null;
}

/** The version that a database had in force when it was read last; versions do not change. */
const lastAreas = new WeakMap<Db, AreaIndex>();

export const knownAreas = (db: Db): AreaIndex | undefined => lastAreas.get(db);

/** The version in force, which a statement read that named `known`. */
export function areasRead(db: Db, known: AreaIndex | undefined, read: AreasInForce | null): AreaIndex | undefined {
  if (read === null) return undefined;
  if (read.areas === null) return known;
  const index = indexOfAreas(read.version, read.areas);
  lastAreas.set(db, index);
  return index;
}

export interface CoverageFacts {
  areas: AreaIndex | undefined;
  hasEconomy: boolean;
}

interface FactsRow {
  /** In the first row only, as it is the same for all. */
  areas: AreasInForce | null;
  card_version: number;
}

const factsText = `
  select case when at = 1 then ${areasInForceSql('$1::integer')} end as areas, ${cardVersionSql('id')} as card_version
  from unnest($2::uuid[]) with ordinality as asked (id, at) order by at`;

/** Reads the areas in force, and whether the rate card of an account has economy. */
export const coverageFacts = together(async (db, accountIds: readonly string[]): Promise<CoverageFacts[]> => {
  const known = knownAreas(db);
  const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(factsText, [known?.version, accountIds]));
  const areas = areasRead(db, known, rows[0]?.areas ?? null);
  const cards = await cardsOf(db, [...new Set(rows.map(({ card_version: version }) => version))]);
  return rows.map(({ card_version: version }) => {
    return { areas, hasEconomy: cardIn(cards, version).zones?.economyDays !== undefined };
  });
});
