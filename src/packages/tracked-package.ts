import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import { ownedBy } from '../db/owned-by.js';
import type { Location } from './movement.js';
import { type Package, type PackageRow, toPackage } from './package.js';
import { packagesNear } from './queries.js';
import { type TrackingEvent, trackingEvents } from './tracking.js';

/** A package with the statuses that it had before. `version` grows with every visible change. */
export interface TrackedPackage extends Package {
  /** The other statuses, newest first. */
  trackingHistory: TrackingEvent[];
  /** Where it was seen last. */
  lastSeen: Location | null;
  version: number;
}

/** A package that the asker has in its present version. */
export interface UnchangedPackage extends Pick<TrackedPackage, 'version'> {
  isUnchanged: true;
}

/** A package of the actor's account, or any one for an operator, with its history; undefined when there is no such package. */
export async function getTrackedPackage(db: Db, actor: Actor, loggiKey: string): Promise<TrackedPackage | undefined> {
  const tracked = await getTrackedPackageUnless(db, actor, loggiKey);
  if (tracked && 'isUnchanged' in tracked) throw new Error('a package is of a version that nobody named');
  return tracked;
}

/**
 * Like `getTrackedPackage`, but of a package that still has the version that the asker knows only that is read. The version is the sum
 * of two numbers that only grow: the version of the order, which changes with the status of each of its packages and when recipients are
 * erased, and the number of movements, as a late one changes nothing but the history.
 */
export async function getTrackedPackageUnless(
  db: Db,
  actor: Actor,
  loggiKey: string,
  knownVersion?: number,
): Promise<TrackedPackage | UnchangedPackage | undefined> {
  if (!isId(loggiKey)) return undefined;
  const ofKey = sql`p.loggi_key = ${loggiKey} and ${ownedBy(actor, 'p.account_id')}`;
  const { rows } = await sql<{ version: number; package: PackageRow | null }>`
    select version, case when version = ${knownVersion ?? null}::integer then null else to_json(package_row) end as package
    from (${packagesNear([loggiKey], ofKey)}) package_row
    cross join lateral (
      select o.version + package_row.seq as version from orders o
      where o.id = package_row.order_id and ${near('o.id', [loggiKey])}) versioned`.execute(db);
  const [row] = rows;
  if (!row?.package) return row && { isUnchanged: true, version: row.version };
  const shown = toPackage(row.package);
  // As of the same movement as the rest, whatever was recorded since.
  const [current, ...trackingHistory] = await trackingEvents(db, shown);
  const lastSeen = [current, ...trackingHistory].find((event) => event?.location)?.location ?? null;
  return { ...shown, trackingHistory, lastSeen, version: row.version };
}
