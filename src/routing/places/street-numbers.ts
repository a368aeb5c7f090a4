import type { AddressPoint } from './city-table.js';
import { clusterOf, type Estimate, expectedAmong, expectedMetres, metresBetween } from './clusters.js';
import type { Point } from './municipalities.js';

/** Metres that an address usually lies off the middle of its street. */
const STREET = 350;
/** Off the place between two house numbers, or beside one. In Brazil they count metres from the street's begin. */
const BETWEEN_NUMBERS = 60;
const BESIDE_NUMBER = 100;
/** Houses further apart than so many times the difference of their numbers stand in two streets of one name. */
const ONE_STREET = 3;
const SLACK = 300;

/** The place in the street by the house numbers about the address's own, else its middle. */
export function alongStreet(points: readonly AddressPoint[], number: number | undefined): Estimate | undefined {
  if (points.length === 0) return undefined;
  const cluster = clusterOf(points);
  const middle = { at: cluster, metres: expectedMetres(cluster, STREET) };
  const exact = number === undefined ? undefined : byNumber(points, number);
  return exact && exact.metres < middle.metres ? exact : middle;
}

/** By the next numbers on both sides, where others near the number do not say that another street has it too. */
function byNumber(points: readonly AddressPoint[], number: number): Estimate | undefined {
  const away = (point: AddressPoint): number => Math.abs(point.number - number);
  const numbered = points.filter((point) => point.number > 0).sort((a, b) => away(a) - away(b));
  const below = numbered.find((point) => point.number <= number);
  const above = numbered.find((point) => point.number >= number);
  const isBetween = below && above && isNear(below, above, above.number - below.number);
  const estimates = isBetween
    ? [between(below, above, number)]
    : [below, above].flatMap((point) => (point ? [{ at: point, metres: BESIDE_NUMBER + away(point) }] : []));
  const reach = 2 * Math.max(...[below, above].map((point) => (point ? away(point) : 0))) + 50;
  const others = numbered.filter(
    (point) => away(point) <= reach && !estimates.some(({ at }) => isNear(at, point, away(point))),
  );
  const all = [...estimates, ...others.map((at) => ({ at, metres: BESIDE_NUMBER + away(at) }))];
  return all.length === 0
    ? undefined
    : expectedAmong(all.map((each, rank) => ({ ...each, weight: rank < estimates.length ? 2 : 1 })));
}

const isNear = (a: Point, b: Point, numbers: number): boolean => metresBetween(a, b) <= ONE_STREET * numbers + SLACK;

function between(below: AddressPoint, above: AddressPoint, number: number): Estimate {
  const way = above.number > below.number ? (number - below.number) / (above.number - below.number) : 0.5;
  const at = {
    latitude: below.latitude + way * (above.latitude - below.latitude),
    longitude: below.longitude + way * (above.longitude - below.longitude),
  };
  return { at, metres: BETWEEN_NUMBERS + metresBetween(below, above) / 8 };
}
