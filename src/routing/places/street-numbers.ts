import type { AddressPoint } from './city-rows.js';
import { clusterOf, type Estimate, expectedAmong, expectedMetres, metresBetween, sampleOf } from './clusters.js';
import type { Point } from './municipalities.js';

/** Usual metres from the middle of a street to an address in it. */
const STREET = 350;
/**
 * Usual metres off a place between two house numbers, or beside one. In Brazil numbers count metres from the start of
 * the street.
 */
const BETWEEN_NUMBERS = 60;
const BESIDE_NUMBER = 100;
/** Most metres of an estimate that is used without comparing it to the middle of the street. */
const SURE = 200;
/**
 * Most metres between two houses per unit of their numbers' difference. Houses further apart stand in two streets of
 * one name.
 */
const ONE_STREET = 3;
const SLACK = 300;

/** Most points for the middle of a street, and most other points with near numbers. */
const MAX_POINTS = 16;
const MAX_OTHERS = 8;

interface AlongStreet extends Estimate {
  isByNumber: boolean;
}

/** The place in the street, from the house numbers near the address's own. Without them, the middle of the street. */
export function alongStreet(points: readonly AddressPoint[], number: number): AlongStreet | undefined {
  if (points.length === 0) return undefined;
  const exact = byNumber(points, number);
  if (exact && exact.metres <= SURE) return { ...exact, isByNumber: true };
  const cluster = clusterOf(sampleOf(points, MAX_POINTS));
  const middle = { at: cluster, metres: expectedMetres(cluster, STREET), isByNumber: false };
  return exact && exact.metres < middle.metres ? { ...exact, isByNumber: true } : middle;
}

/**
 * An estimate from the next numbers on both sides. Points with a near number elsewhere show another street of the name,
 * and count less.
 */
function byNumber(points: readonly AddressPoint[], number: number): Estimate | undefined {
  const away = (point: AddressPoint): number => Math.abs(point.number - number);
  const nearer = (a: AddressPoint | undefined, b: AddressPoint) => (a && away(a) <= away(b) ? a : b);
  let [below, above]: (AddressPoint | undefined)[] = [];
  for (const point of points) {
    if (point.number === 0) continue;
    if (point.number <= number) below = nearer(below, point);
    if (point.number >= number) above = nearer(above, point);
  }
  const estimates =
    below && above && isNear(below, above, above.number - below.number)
      ? [between(below, above, number)]
      : [below, above].flatMap((point) => (point ? [besideNumber(point, away(point))] : []));
  if (estimates.length === 0) return undefined;
  const reach = 2 * Math.max(below ? away(below) : 0, above ? away(above) : 0) + 50;
  const isElsewhere = (point: AddressPoint): boolean => !estimates.some(({ at }) => isNear(at, point, away(point)));
  const others = points.filter((point) => point.number > 0 && away(point) <= reach && isElsewhere(point));
  if (others.length > MAX_OTHERS) others.sort((a, b) => away(a) - away(b));
  return expectedAmong([
    ...estimates.map((each) => ({ ...each, weight: 2 })),
    ...others.slice(0, MAX_OTHERS).map((point) => ({ ...besideNumber(point, away(point)), weight: 1 })),
  ]);
}

const besideNumber = (at: Point, away: number): Estimate => ({ at, metres: BESIDE_NUMBER + away });

const isNear = (a: Point, b: Point, numbers: number): boolean => metresBetween(a, b) <= ONE_STREET * numbers + SLACK;

function between(below: AddressPoint, above: AddressPoint, number: number): Estimate {
  const way = above.number > below.number ? (number - below.number) / (above.number - below.number) : 0.5;
  const at = {
    latitude: below.latitude + way * (above.latitude - below.latitude),
    longitude: below.longitude + way * (above.longitude - below.longitude),
  };
  return { at, metres: BETWEEN_NUMBERS + metresBetween(below, above) / 8 };
}
