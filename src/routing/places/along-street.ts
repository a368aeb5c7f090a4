import { type AddressPoint, type City, findStreet, type Neighbourhood } from './city.js';
import { clusterOf, type Estimate, expectedMetres, metresBetween } from './clusters.js';

/** Metres that an address usually lies off the middle of its street, and of the street's part in its neighbourhood. */
const USUAL = 350;
const USUAL_IN_NEIGHBOURHOOD = 300;
/** Off the place that two house numbers beside it give, or one. House numbers of Brazil count metres from the street's begin. */
const BETWEEN_NUMBERS = 60;
const BESIDE_NUMBER = 100;
/** Two houses whose distance is more than so many times the difference of their numbers stand in streets of one name. */
const ONE_STREET = 3;
const SLACK = 300;

/** Where in the street the address lies: by the house numbers about its own, else in the middle. */
export function alongStreet(
  city: City,
  words: readonly string[],
  number: number | undefined,
  neighbourhood: Neighbourhood | undefined,
): Estimate | undefined {
  const all = findStreet(city, words)?.points ?? [];
  const inside = neighbourhood ? all.filter((point) => point.neighbourhood === neighbourhood) : [];
  const points = inside.length > 0 ? inside : all;
  if (points.length === 0) return undefined;
  const usual = inside.length > 0 ? USUAL_IN_NEIGHBOURHOOD : USUAL;
  const cluster = clusterOf(points);
  const middle = { at: cluster, metres: expectedMetres(cluster, usual) };
  const exact = number === undefined ? undefined : byNumber(points, number);
  return exact && exact.metres < middle.metres ? exact : middle;
}

function byNumber(points: readonly AddressPoint[], number: number): Estimate | undefined {
  const numbered = points.filter((point) => point.number > 0);
  const below = nearest(
    numbered.filter((point) => point.number <= number),
    number,
  );
  const above = nearest(
    numbered.filter((point) => point.number >= number),
    number,
  );
  if (below && above && isOneStreet(below, above)) return between(below, above, number);
  const [beside] = [below, above].filter((point) => point !== undefined);
  return below && above
    ? undefined
    : beside && { at: beside, metres: BESIDE_NUMBER + Math.abs(beside.number - number) };
}

function nearest(points: readonly AddressPoint[], number: number): AddressPoint | undefined {
  return points.reduce<AddressPoint | undefined>(
    (best, point) => (best && Math.abs(best.number - number) <= Math.abs(point.number - number) ? best : point),
    undefined,
  );
}

function isOneStreet(a: AddressPoint, b: AddressPoint): boolean {
  return metresBetween(a, b) <= ONE_STREET * Math.abs(a.number - b.number) + SLACK;
}

function between(below: AddressPoint, above: AddressPoint, number: number): Estimate {
  const way = above.number > below.number ? (number - below.number) / (above.number - below.number) : 0.5;
  const at = {
    latitude: below.latitude + way * (above.latitude - below.latitude),
    longitude: below.longitude + way * (above.longitude - below.longitude),
  };
  return { at, metres: BETWEEN_NUMBERS + metresBetween(below, above) / 8 };
}
