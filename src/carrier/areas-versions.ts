import { CompiledQuery } from 'kysely';
import { invalid } from '../base/errors.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { together } from '../db/read-together.js';
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
import { type AreaIndex, indexOfAreas } from './areas.js';
import { areaErrors, placeCount } from './areas-errors.js';

export type AreasVersion = Version<'service_areas'>;

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
  hasEconomy: boolean;
}

interface FactsRow {
  areas: AreasInForce | null;
  has_economy: boolean | null;
}

const factsText = `
  select ${areasInForceSql('$1::integer')} as areas,
    (select zones -> 'economyDays' is not null from rate_cards order by version desc limit 1) as has_economy`;

const readFacts = together(async (db, asked: readonly true[]) => {
  const known = keptAreas.known(db);
  const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(factsText, [known?.version]));
  const [read] = rows;
  const facts = { areas: keptAreas.read(db, known, read?.areas ?? null), hasEconomy: read?.has_economy ?? false };
  return asked.map((): CoverageFacts => facts);
});

export const coverageFacts = (db: Db): Promise<CoverageFacts> => readFacts(db, true);
