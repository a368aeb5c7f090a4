import { CompiledQuery } from 'kysely';
import { invalid } from '../base/errors.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { shareRead } from '../db/share-read.js';
import type { Area } from '../db/tables/areas.js';
import {
  addVersion,
  currentVersion,
  getVersion,
  keepVersion,
  listVersions,
  type Version,
  type VersionInForce,
  type VersionSummary,
  versionInForceSql,
} from '../db/versions.js';
import { standardCalendar, type WorkCalendar } from '../routing/calendar.js';
import { cardIn, cardVersionSql } from './account-cards.js';
import { type AreaIndex, indexOfAreas } from './areas.js';
import { areaErrors, placeCount } from './areas-errors.js';
import { type CalendarInForce, calendarInForceSql, keptCalendar } from './calendars.js';
import { cardsOf } from './rate-cards.js';

export type AreasVersion = Version<'service_areas'>;

export interface NewAreas {
  /** The start of the version. Undefined means at once. */
  validFrom: Date | undefined;
  areas: readonly Area[];
}

/** Throws VALIDATION_ERROR for areas that would leave a place without an area, or with two. */
export function demandAreas(areas: readonly Area[]): void {
  const errors = areaErrors(areas);
  if (errors.length > 0) throw invalid(errors);
}

/** Adds the next version completely, or not at all. Throws VALIDATION_ERROR as `demandAreas` does. */
export async function addAreas(db: Db, { validFrom, areas }: NewAreas): Promise<AreasVersion> {
  demandAreas(areas);
  const facts = { place_count: placeCount(areas), areas: JSON.stringify(areas) };
  return addVersion(db, 'service_areas', validFrom, facts);
}

export const currentAreas = (db: Db): Promise<AreasVersion | undefined> => currentVersion(db, 'service_areas');

export const getAreas = (db: Db, version: number): Promise<AreasVersion | undefined> =>
  getVersion(db, 'service_areas', version);

const summaryColumns = ['version', 'valid_from', 'place_count', 'created_at'] as const;

export type AreasSummary = VersionSummary<'service_areas', (typeof summaryColumns)[number]>;

export const listAreas = (db: Db, page: Page): Promise<Listed<AreasSummary>> =>
  listVersions(db, 'service_areas', summaryColumns, page);

export const areasInForceSql = (knownVersion: string): string =>
  versionInForceSql('service_areas', 'areas', knownVersion);

export type AreasInForce = VersionInForce<Area[]>;

export const keptAreas = keepVersion<Area[], AreaIndex>(indexOfAreas);

export interface CoverageFacts {
  areas: AreaIndex | undefined;
  work: WorkCalendar;
  hasEconomy: boolean;
}

interface FactsRow {
  /** Only in the first row, because the value is the same for all rows. */
  areas: AreasInForce | null;
  /** Only in the first row. */
  calendar: CalendarInForce | null;
  card_version: number;
}

const factsText = `
  select
    case when at = 1 then ${areasInForceSql('$1::integer')} end as areas,
    case when at = 1 then ${calendarInForceSql('$3::integer')} end as calendar,
    ${cardVersionSql('id')} as card_version
  from unnest($2::uuid[]) with ordinality as asked (id, at) order by at`;

/** Reads the areas and the working time in force, and whether the account's rate card offers economy. */
export const coverageFacts = shareRead(async (db, accountIds: readonly string[]): Promise<CoverageFacts[]> => {
  const knownAreas = keptAreas.known(db);
  const knownCalendar = keptCalendar.known(db);
  const asked = [knownAreas?.version, accountIds, knownCalendar?.version];
  const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(factsText, asked));
  const areas = keptAreas.read(db, knownAreas, rows[0]?.areas ?? null);
  const work = keptCalendar.read(db, knownCalendar, rows[0]?.calendar ?? null)?.work ?? standardCalendar;
  const cards = await cardsOf(db, [...new Set(rows.map(({ card_version: version }) => version))]);
  return rows.map(({ card_version: version }) => {
    return { areas, work, hasEconomy: cardIn(cards, version).zones?.economyDays !== undefined };
  });
});
