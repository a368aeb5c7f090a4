/** Places quadras of Brasília among others of their series: `SHIS QI 9` lies between `SHIS QI 7` and `SHIS QI 11`. */
import { listIn } from '../../src/base/values.js';
import { metresBetween } from '../../src/routing/places/clusters.js';
import type { Point } from '../../src/routing/places/municipalities.js';
import type { Draft, KnownPoint } from './draft.js';

export const BRASILIA = 5_300_108;

/** Quadras with further numbers, or further apart, are not neighbours in a series. */
const MAX_NUMBERS = 12;
const MAX_METRES = 6_000;

interface Numbered {
  series: string;
  number: number;
}

interface Anchor extends Point {
  number: number;
}

/** `shis qi7 conjunto 3` → `shis qi`, 7; `sqsw 304` → `sqsw`, 304. */
function numberedQuadra(key: string): Numbered | undefined {
  const [, series, number] = /^((?:[a-z]+ )?[a-z]+?) ?(\d+)(?=[ a-z]|$)/.exec(key) ?? [];
  return series === undefined || series === 'conjunto' || series === 'rua'
    ? undefined
    : { series, number: Number(number) };
}

/** In each wing of the Plano Piloto the number alone gives the place of a quadra. */
const wings = new Map([
  ...'sqs cls scls clrs crs scrs sclrs eqs shcs shigs hcgs seps sgas shs'
    .split(' ')
    .map((series) => [series, 'asa sul'] as const),
  ...'sqn cln scln clrn crn scrn sclrn eqn shcn shcgn shign sepn sgan shn'
    .split(' ')
    .map((series) => [series, 'asa norte'] as const),
]);

/** One series in one region, whose CEPs begin alike: `QR` is a series of Samambaia, and another one of Santa Maria. */
const regionOf = ({ series, number }: Numbered, postalCode: number): string =>
  number > 99 ? (wings.get(series) ?? inRegion(series, postalCode)) : inRegion(series, postalCode);

const inRegion = (series: string, postalCode: number): string => `${series} ${Math.floor(postalCode / 100_000)}`;

/** A point of each quadra that has one, or that lies between two that have. */
export function interpolatedQuadras({ parts, points }: Pick<Draft, 'parts' | 'points'>): KnownPoint[] {
  const regions = new Map<string, Set<string>>();
  const wanted = new Map<string, { region: string; number: number; point: KnownPoint }>();
  for (const { kind, key, neighbourhood, postalCode } of parts) {
    const quadra = kind === 'quadra' || kind === '' ? numberedQuadra(key) : undefined;
    if (!quadra || postalCode === 0) continue;
    const region = regionOf(quadra, postalCode);
    regions.set(quadraKey(quadra), (regions.get(quadraKey(quadra)) ?? new Set()).add(region));
    wanted.set(`${region}/${quadraKey(quadra)}`, {
      region,
      number: quadra.number,
      point: { ...nowhere, key: quadraKey(quadra), neighbourhood },
    });
  }
  const anchors = anchorsOf(points, regions);
  return [...wanted.values()].flatMap(({ region, number, point }) => {
    const place = placeAmong(anchors.get(region) ?? [], number);
    return place ? [{ ...point, ...place }] : [];
  });
}

const nowhere = { kind: '', number: 0, postalCode: 0, latitude: 0, longitude: 0 };

const quadraKey = ({ series, number }: Numbered): string =>
  series.length > 3 && !series.includes(' ') ? `${series} ${number}` : `${series}${number}`;

function anchorsOf(
  points: readonly KnownPoint[],
  regions: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Anchor[]> {
  const anchors = new Map<string, Anchor[]>();
  for (const { key, postalCode, latitude, longitude } of points) {
    const quadra = numberedQuadra(key);
    if (!quadra) continue;
    const known = [...(regions.get(quadraKey(quadra)) ?? [])];
    const region = postalCode > 0 ? regionOf(quadra, postalCode) : known.length === 1 ? known[0] : undefined;
    if (region !== undefined) listIn(anchors, region, { number: quadra.number, latitude, longitude });
  }
  return anchors;
}

/** On the line between the nearest numbers on both sides; undefined where they are far. */
function placeAmong(anchors: readonly Anchor[], number: number): Point | undefined {
  const nearest = (side: readonly Anchor[]): Anchor | undefined =>
    side.reduce<Anchor | undefined>(
      (a, b) => (a && Math.abs(a.number - number) <= Math.abs(b.number - number) ? a : b),
      undefined,
    );
  // In series of hundreds a hundred is a row.
  const row = anchors.filter((each) => Math.floor(each.number / 100) === Math.floor(number / 100));
  const below = nearest(row.filter((each) => each.number <= number));
  const above = nearest(row.filter((each) => each.number >= number));
  if (!below || !above || above.number - below.number > MAX_NUMBERS || metresBetween(below, above) > MAX_METRES)
    return undefined;
  const way = above.number > below.number ? (number - below.number) / (above.number - below.number) : 0.5;
  return {
    latitude: below.latitude + way * (above.latitude - below.latitude),
    longitude: below.longitude + way * (above.longitude - below.longitude),
  };
}
