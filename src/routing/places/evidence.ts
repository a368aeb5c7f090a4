import type { Precision } from '../../base/place.js';
import type { Read } from '../address/reading.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import { type AddressPoint, type City, findStreet, type Neighbourhood, type PostalCode } from './city.js';
import { clusterOf, type Estimate, expectedMetres, metresBetween, weightedMean } from './clusters.js';
import type { Point } from './municipalities.js';
import { firstIndex } from './postal-codes.js';

export interface Evidence extends Estimate {
  /** The finest precision that a place by it may have. */
  precision: Precision;
}

/** Usual metres to the middle; `town` is a CEP of a whole town, `centre` a "Centro" without points. */
const usual = { postalCode: 300, town: 1_500, neighbourhood: 300, cell: 560, centre: 700, city: 4_000 };
/** CEPs whose numbers are further apart are not near each other. */
const FAR_POSTAL_CODE = 7_000;
const NEAR_POSTAL_CODES = 4;
/** A CEP of one street has its points in that street, or in two that OpenStreetMap names apart. */
const STREETS_OF_TOWN = 3;
/** Where a neighbourhood has so many CEPs that begin alike, they are given to streets. */
const CODES_OF_STREETS = 4;

export function evidenceOf(reading: Read, city: City): Evidence[] {
  const neighbourhood = city.neighbourhoods.get(neighbourhoodKey(reading));
  return [
    ...streetEvidence(reading, city, neighbourhood),
    ...postalCodeEvidence(reading, city),
    ...neighbourhoodEvidence(reading, city, neighbourhood),
    seatEvidence(city),
  ];
}

export const neighbourhoodKey = ({ neighbourhood, district }: Read): string =>
  looseKey(neighbourhood ?? nameKey(district?.name ?? '').split(' '));

function evidence(precision: Precision, points: readonly Point[], usualMetres: number): Evidence {
  const cluster = clusterOf(points);
  return { precision, at: cluster, metres: expectedMetres(cluster, usualMetres) };
}

/** The more the city's points lie about, the less its seat says. */
const seatEvidence = ({ seat, points, metresFromSeat }: City): Evidence => ({
  precision: 'city',
  at: seat,
  metres: (3 * usual.city + 1.4 * metresFromSeat) / (3 + points.length),
});

function neighbourhoodEvidence(reading: Read, city: City, neighbourhood: Neighbourhood | undefined): Evidence[] {
  if (neighbourhood && neighbourhood.points.length > 0)
    return [evidence('district', neighbourhood.points, usual.neighbourhood)];
  if (reading.district) return [{ precision: 'district', at: reading.district, metres: usual.cell }];
  if (neighbourhoodKey(reading) === 'centro') return [{ precision: 'district', at: city.seat, metres: usual.centre }];
  return neighbourhood ? cellEvidence(neighbourhood.cells, city) : [];
}

function cellEvidence(numbers: readonly number[], city: City): Evidence[] {
  const cells = numbers.flatMap((cell, at) => {
    const points = at % 2 === 0 ? (city.cells.get(cell)?.points ?? []) : [];
    return points.length === 0 ? [] : [{ ...evidence('district', points, usual.cell), count: numbers[at + 1] ?? 0 }];
  });
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const at = weightedMean(cells.map((cell) => ({ at: cell.at, metres: 1 / Math.sqrt(cell.count) })));
  const metres = cells.reduce((sum, cell) => sum + cell.count * (cell.metres + metresBetween(cell.at, at)), 0) / total;
  // The one cell of a town is the town.
  return [{ precision: city.cells.size > 1 ? 'district' : 'city', at, metres }];
}

function streetEvidence({ street }: Read, city: City, neighbourhood: Neighbourhood | undefined): Evidence[] {
  const number = Number.parseInt(street?.number ?? '', 10);
  const estimate = street && alongStreet(city, street.words, Number.isNaN(number) ? undefined : number, neighbourhood);
  return estimate ? [{ precision: 'street', ...estimate }] : [];
}

function postalCodeEvidence({ postalCode }: Read, city: City): Evidence[] {
  if (postalCode === undefined) return [];
  const digits = Number(postalCode);
  const at = firstIndex(city.postalCodes.length, (index) => (city.postalCodes[index]?.digits ?? 0) >= digits);
  const own = city.postalCodes[at];
  if (own?.digits === digits)
    return [{ ...nearEvidence(own, digits, city), precision: isOfTown(own, city) ? 'city' : 'postal_code' }];
  const near = nearestPostalCodes(city, digits, at).map((other) => nearEvidence(other, digits, city));
  if (near.length === 0) return [];
  const precision = isOfTown({ digits, points: [] }, city) ? 'city' : 'district';
  return [{ precision, at: weightedMean(near), metres: 0.9 * Math.min(...near.map(({ metres }) => metres)) }];
}

/** The estimate for a CEP by the points of another one: the surer, the nearer their numbers are. */
function nearEvidence(other: PostalCode, digits: number, city: City): Estimate {
  const cluster = clusterOf(other.points);
  const metres = expectedMetres(cluster, isOfTown(other, city) ? usual.town : usual.postalCode);
  const away = Math.abs(other.digits - digits);
  return { at: cluster, metres: away === 0 ? metres : Math.hypot(metres, 420 * away ** 0.2) };
}

/** A CEP of a whole town: of many streets, or 000 where no neighbourhood has several; from 900, of post offices. */
function isOfTown({ digits, points }: PostalCode, { cells }: City): boolean {
  if (new Set(points.map(({ street }) => street)).size >= STREETS_OF_TOWN) return true;
  const last = digits % 1_000;
  return last >= 900 || (last === 0 && (cells.get(digits / 1_000)?.codes ?? 0) < CODES_OF_STREETS);
}

function nearestPostalCodes({ postalCodes }: City, digits: number, next: number): PostalCode[] {
  const away = (other: PostalCode): number => Math.abs(other.digits - digits);
  return postalCodes
    .slice(Math.max(0, next - NEAR_POSTAL_CODES), next + NEAR_POSTAL_CODES)
    .filter((other) => away(other) < FAR_POSTAL_CODE)
    .sort((a, b) => away(a) - away(b))
    .slice(0, NEAR_POSTAL_CODES);
}

/** Metres that an address usually lies off the middle of its street, and of the street's part in its neighbourhood. */
const STREET = 350;
const STREET_IN_NEIGHBOURHOOD = 300;
/** Off the place between two house numbers, or beside one. In Brazil they count metres from the street's begin. */
const BETWEEN_NUMBERS = 60;
const BESIDE_NUMBER = 100;
/** Houses further apart than so many times the difference of their numbers stand in two streets of one name. */
const ONE_STREET = 3;
const SLACK = 300;

/** The place in the street by the house numbers about the address's own, else its middle. */
function alongStreet(
  city: City,
  words: readonly string[],
  number: number | undefined,
  neighbourhood: Neighbourhood | undefined,
): Estimate | undefined {
  const all = findStreet(city, words)?.points ?? [];
  const inside = neighbourhood ? all.filter((point) => point.neighbourhood === neighbourhood) : [];
  const points = inside.length > 0 ? inside : all;
  if (points.length === 0) return undefined;
  const usualMetres = inside.length > 0 ? STREET_IN_NEIGHBOURHOOD : STREET;
  const cluster = clusterOf(points);
  const middle = { at: cluster, metres: expectedMetres(cluster, usualMetres) };
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
