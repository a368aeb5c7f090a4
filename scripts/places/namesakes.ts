/** Doubts the points of a neighbourhood that may be those of a namesake elsewhere. */
import { clusterOf, metresBetween } from '../../src/routing/places/clusters.js';
import { firstRow } from '../../src/routing/places/columns.js';
import { type Draft, grouped, type KnownPoint, type Neighbourhood, type StreetPart } from './draft.js';

/** A neighbourhood is doubted where others' points that have CEPs near its own lie far from its points. */
const doubtFrom = { metres: 4_000, postalCodes: 5_000 };

type Around = (postalCode: number) => readonly KnownPoint[];

/** Metres that a neighbourhood may be off, as its points are those of a namesake; 0 where its CEPs do not say so. */
function doubtOf(neighbourhood: Neighbourhood, parts: readonly StreetPart[], around: Around): number {
  const own = clusterOf(neighbourhood.points);
  const metres = parts.flatMap(({ postalCode }) => {
    const near = around(postalCode).filter((point) => point.neighbourhood !== neighbourhood);
    return near.length === 0 ? [] : Math.min(...near.map((point) => metresBetween(own, point)));
  });
  const far = metres.filter((each) => each > doubtFrom.metres);
  return far.length === 0 ? 0 : far.reduce((sum, each) => sum + each, 0) / metres.length;
}

export function doubtNamesakes({ neighbourhoods, parts, points }: Draft): void {
  const coded = points.filter(({ postalCode }) => postalCode > 0).sort((a, b) => a.postalCode - b.postalCode);
  const codes = Int32Array.from(coded, ({ postalCode }) => postalCode);
  const around: Around = (postalCode) => {
    const next = firstRow(codes, postalCode);
    const near = coded.slice(Math.max(0, next - 5), next + 5);
    return near.filter((point) => Math.abs(point.postalCode - postalCode) < doubtFrom.postalCodes);
  };
  const partsOf = grouped(parts, ({ neighbourhood }) => neighbourhood);
  for (const each of neighbourhoods.values())
    if (each.points.length > 0) each.doubt = doubtOf(each, partsOf.get(each) ?? [], around);
}
