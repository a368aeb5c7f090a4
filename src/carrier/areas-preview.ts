import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { Area } from '../db/tables/areas.js';
import type { Service } from '../db/tables/prices.js';
import { type AreaIndex, type AreaPlace, type AreaRefusal, indexOfAreas, refusalAt, verdictAt } from './areas.js';
import { demandAreas } from './areas-versions.js';
import { newestOrders, type StoredStop, stopsOfOrders } from './newest-orders.js';

const MAX_UNDER_WAY = 1000;

/** A stop that the areas would refuse, and the area that decides. */
export interface StopRefusal extends AreaRefusal {
  field: string;
  place: AreaPlace;
  /** Index of the area, from 0. Undefined if no area has the place. */
  area: number | undefined;
  decidedBy: string | undefined;
}

export interface RefusedOrder {
  id: string;
  externalId: string | null;
  createdAt: Date;
  refusals: StopRefusal[];
}

export interface AreasPreview {
  orderCount: number;
  /** Newest first. */
  refused: RefusedOrder[];
}

/** Tries areas on the 100 newest orders. Writes nothing. Throws VALIDATION_ERROR as `addAreas` does. */
export async function previewAreas(db: Db, areas: readonly Area[]): Promise<AreasPreview> {
  demandAreas(areas);
  const index = indexOfAreas(0, areas);
  const orders = await newestOrders(db);
  const stops = await stopsOfOrders(
    db,
    orders.map(({ id }) => id),
  );
  const refused = orders.map(({ service, readyAt: _, ...order }) => ({
    ...order,
    refusals: (stops.get(order.id) ?? []).flatMap((stop) => refusalsOf(index, stop, service)),
  }));
  return { orderCount: orders.length, refused: refused.filter(({ refusals }) => refusals.length > 0) };
}

function refusalsOf(index: AreaIndex, { kind, position, place: stored }: StoredStop, service: Service): StopRefusal[] {
  const { postalCode, ...named } = stored;
  const place: AreaPlace = postalCode === null ? named : { ...named, postalCode };
  const verdict = verdictAt(index, place);
  const refusal = refusalAt(verdict, kind, place, service);
  const field = `${kind === 'pickup' ? 'pickups' : 'packages'}.${position}.address.address`;
  return refusal ? [{ field, ...refusal, place, area: verdict.area, decidedBy: verdict.decidedBy }] : [];
}

/** Counts packages under way whose address the areas do not serve, among the newest ones. */
export async function refusedUnderWay(db: Db, version: number, areas: readonly Area[]): Promise<number> {
  const index = indexOfAreas(version, areas);
  const { rows } = await sql<StoredStop['place'] & { packages: string }>`
    select city, state, postal_code as "postalCode", count(*) as packages from (
      select city, state, postal_code from packages
      where status_code = any(array(select code from package_statuses where not final))
      order by loggi_key desc limit ${MAX_UNDER_WAY}
    ) under_way
    group by 1, 2, 3`.execute(db);
  return rows
    .filter(({ packages: _, ...place }) =>
      refusalsOf(index, { kind: 'delivery', position: 0, place }, 'express').some(isRefusedPlace),
    )
    .reduce((sum, { packages }) => sum + Number(packages), 0);
}

const isRefusedPlace = ({ code }: StopRefusal): boolean => code === 'not_delivered';
