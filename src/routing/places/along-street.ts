import { type AddressPoint, type City, findStreet, type Neighbourhood } from './city.js';
import { clusterOf, type Estimate, expectedMetres, metresBetween } from './clusters.js';

/** Metres that an address usually lies off the middle of its street, and of the street's part in its neighbourhood. */
const USUAL = 350;
const USUAL_IN_NEIGHBOURHOOD = 300;
/** Off the place between two house numbers, or beside one. In Brazil they count metres from the street's begin. */
const BETWEEN_NUMBERS = 60;
const BESIDE_NUMBER = 100;
/** Houses further apart than so many times the difference of their numbers stand in two streets of one name. */
const ONE_STREET = 3;
const SLACK = 300;

/** The place in the street by the house numbers about the address's own, else its middle. */
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
  const [below, above] = [
    numbered.filter((point) => point.number <= number),
    numbered.filter((point) => point.number >= number),
  ].map((side) => nearest(side, number));
  if (below && above) return isOneStreet(below, above) ? between(below, above, number) : undefined;
  const beside = below ?? above;
  return beside && { at: beside, metres: BESIDE_NUMBER + Math.abs(beside.number - number) };
}

const nearest = (points: readonly AddressPoint[], number: number): AddressPoint | undefined =>
  points.reduce<AddressPoint | undefined>(
    (best, point) => (best && Math.abs(best.number - number) <= Math.abs(point.number - number) ? best : point),
    undefined,
  );

const isOneStreet = (a: AddressPoint, b: AddressPoint): boolean =>
  metresBetween(a, b) <= ONE_STREET * Math.abs(a.number - b.number) + SLACK;

function between(below: AddressPoint, above: AddressPoint, number: number): Estimate {
  const way = above.number > below.number ? (number - below.number) / (above.number - below.number) : 0.5;
  const at = {
    latitude: below.latitude + way * (above.latitude - below.latitude),
    longitude: below.longitude + way * (above.longitude - below.longitude),
  };
  return { at, metres: BETWEEN_NUMBERS + metresBetween(below, above) / 8 };
}
