import * as ascendingIndexes from './0034-ascending-indexes.js';
import * as noDescendingIndexes from './0035-no-descending-indexes.js';
import * as catchUps from './0036-catch-ups.js';
import * as makePartition from './0037-make-partition.js';
import * as serviceAreas from './0038-service-areas.js';
import * as calendars from './0039-calendars.js';
import * as readyTimes from './0040-ready-times.js';
import * as namedRateCards from './0041-named-rate-cards.js';
import * as givenLocations from './0043-given-locations.js';
import * as ledger from './0044-ledger.js';
import * as rateTables from './0045-rate-tables.js';
import * as references from './0046-references.js';
import * as endpointBudgets from './0047-endpoint-budgets.js';
import * as collections from './0048-collections.js';
import * as attempts from './0049-attempts.js';
import * as reopenings from './0050-reopenings.js';
import * as requests from './0051-requests.js';
import * as members from './0053-members.js';
import * as accountAudit from './0056-account-audit.js';
import * as noMixedAuditIndexes from './0057-no-mixed-audit-indexes.js';
import * as brands from './0059-brands.js';
import * as presets from './0060-presets.js';
import * as changeNumbers from './0062-change-numbers.js';
import * as memberFactors from './0063-member-factors.js';
import * as publicTitles from './0066-public-titles.js';
import * as countedPackages from './0068-counted-packages.js';
import type { Migration } from './migration.js';

/** Migrations since release 1.7, by name, in the order in which they run. There is no way back: docs/migrations.md. */
export const migrations: Record<string, Migration> = {
  '0034-ascending-indexes': ascendingIndexes,
  '0035-no-descending-indexes': noDescendingIndexes,
  '0036-catch-ups': catchUps,
  '0037-make-partition': makePartition,
  '0038-service-areas': serviceAreas,
  '0039-calendars': calendars,
  '0040-ready-times': readyTimes,
  '0041-named-rate-cards': namedRateCards,
  '0043-given-locations': givenLocations,
  '0044-ledger': ledger,
  '0045-rate-tables': rateTables,
  '0046-references': references,
  '0047-endpoint-budgets': endpointBudgets,
  '0048-collections': collections,
  '0049-attempts': attempts,
  '0050-reopenings': reopenings,
  '0051-requests': requests,
  '0053-members': members,
  '0056-account-audit': accountAudit,
  '0057-no-mixed-audit-indexes': noMixedAuditIndexes,
  '0059-brands': brands,
  '0060-presets': presets,
  '0062-change-numbers': changeNumbers,
  '0063-member-factors': memberFactors,
  '0066-public-titles': publicTitles,
  '0068-counted-packages': countedPackages,
};
