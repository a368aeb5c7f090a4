/** The extent of regions, as those of Brasília, by the neighbourhoods whose names say that they lie in them. */
import { listIn } from '../../src/base/values.js';
import { type Estimate, metresBetween } from '../../src/routing/places/clusters.js';
import { type Neighbourhood, neighbourhoodKey } from './draft.js';

interface PlacedPart {
  estimate: Estimate;
  streets: number;
}

/** By the region's key: `Setor Residencial Leste (Planaltina)` lies in Planaltina. */
export function insideRegions(
  found: readonly (Omit<PlacedPart, 'estimate'> & { neighbourhood: Neighbourhood; estimate: Estimate | undefined })[],
): Map<string, PlacedPart[]> {
  const inside = new Map<string, PlacedPart[]>();
  for (const { neighbourhood, estimate, streets } of found) {
    const region = /\((?:.+ - )?(.+)\)$/.exec(neighbourhood.name)?.[1];
    if (region !== undefined && estimate) listIn(inside, neighbourhoodKey(region), { estimate, streets });
  }
  return inside;
}

/** A region is as large as the neighbourhoods in it lie apart. */
export function asRegion(own: PlacedPart, inside: readonly PlacedPart[]): Estimate {
  const all = [own, ...inside];
  const total = all.reduce((sum, { streets }) => sum + streets, 0);
  const { at, metres } = own.estimate;
  const metresOf = ({ estimate, streets }: PlacedPart): number =>
    (streets / total) * (estimate.metres + metresBetween(at, estimate.at));
  return total === 0
    ? own.estimate
    : {
        at,
        metres: Math.max(
          metres,
          all.reduce((sum, each) => sum + metresOf(each), 0),
        ),
      };
}
