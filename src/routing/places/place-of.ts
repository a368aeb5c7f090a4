import type { Place, Precision } from '../../base/place.js';
import { hyphened } from '../address/codes.js';
import type { Read } from '../address/reading.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import { accuracyOf, type Known } from './accuracy.js';
import { embeddedCities } from './city-places.js';
import type { CityTable } from './city-table.js';
import { metresBetween, weightedMean } from './clusters.js';
import { type Evidence, evidenceOf } from './evidence.js';
import { municipalityNamed, type Point } from './municipalities.js';

/** Most expected metres of each precision, finest first. A place beyond them has the precision of its city. */
const limits: readonly [precision: Precision, metres: number][] = [
  ['street', 500],
  ['postal_code', 500],
  ['district', 1_500],
];

/** Factor of the expected metres within which two pieces of evidence agree. */
const AGREE = 2.5;
/** Factor of doubt about a CEP: when CEP and neighbourhood do not agree, the CEP is usually wrong. */
const DOUBT_OF_POSTAL_CODE = 1.5;

/** Computes the place of a reading: the mean of all evidence that agrees, where surer evidence counts more. */
export const placeOf = (reading: Read, cities = embeddedCities()): Place => placeAndBasis(reading, cities).place;

interface PlaceAndBasis {
  place: Place;
  /** The fact from which the accuracy follows. */
  known: Known;
}

export function placeAndBasis(reading: Read, cities: CityTable): PlaceAndBasis {
  const { municipality, postalCode } = reading;
  const neighbourhood = reading.neighbourhood && cities.neighbourhoodOf(municipality, looseKey(reading.neighbourhood));
  const evidence = evidenceOf(reading, neighbourhood, cities);
  const surest = evidence.reduce((a, b) => (doubt(b) < doubt(a) ? b : a));
  const agreed = evidence.filter((other) => agree(other, surest));
  const isContradicted = evidence.some((other) => other.precision !== 'city' && !agreed.includes(other));
  const precision = isContradicted ? 'city' : precisionOf(agreed);
  const at = weightedMean(agreed);
  const name = neighbourhood?.name;
  const { known, metres } = expectedOf(at, precision === 'city' ? evidence : agreed, precision, reading, cities);
  const place = {
    latitude: toMetre(at.latitude),
    longitude: toMetre(at.longitude),
    precision,
    accuracyMetres: accuracyOf(known, metres, municipality),
    city: municipality.name,
    state: municipality.state,
    ...(name !== undefined && { district: name }),
    ...(postalCode !== undefined && { postalCode }),
    ...streetRead(reading),
  };
  return { place, known };
}

export function streetRead({ street }: Read): Pick<Place, 'streetRead'> {
  if (street === undefined) return {};
  const { words, number, lots = [] } = street;
  return { streetRead: [words.map(hyphened).join(' '), ...(number === undefined ? [] : [number]), ...lots].join(', ') };
}

/** Expected metres off a place. The surest evidence decides. If evidence contradicts, the metres cover all of it. */
function expectedOf(
  at: Point,
  evidence: readonly Evidence[],
  precision: Precision,
  { municipality, isRural }: Read,
  cities: CityTable,
): { known: Known; metres: number } {
  const surest = evidence.reduce((a, b) => (b.metres < a.metres ? b : a));
  if (precision !== 'city')
    return { known: (precision === 'street' && surest.basis) || precision, metres: surest.metres };
  const town = cities.townOf(municipality).metres;
  if (evidence.length === 1 && isRural) return { known: 'rural', metres: surest.metres };
  if (evidence.length === 1 && surest.metres === town) return { known: 'town', metres: town };
  const isTown = (each: Evidence): boolean => each.metres === town && each.precision === 'city';
  const covered = evidence.filter((each) => !isTown(each)).map((each) => metresBetween(at, each.at) + each.metres);
  return { known: 'city', metres: Math.max(...covered) };
}

/** The place with an accuracy that is not finer than for the municipality alone. */
export function withAccuracyOfTown(place: Place): Place {
  const municipality = municipalityNamed(nameKey(place.city), place.state);
  if (municipality === undefined || place.accuracyMetres === undefined) return place;
  const accuracyMetres = accuracyOf('town', embeddedCities().townOf(municipality).metres, municipality);
  return accuracyMetres > place.accuracyMetres ? { ...place, accuracyMetres } : place;
}

const toMetre = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;

const doubt = ({ precision, metres }: Evidence): number =>
  precision === 'postal_code' ? DOUBT_OF_POSTAL_CODE * metres : metres;

const agree = (a: Evidence, b: Evidence): boolean => metresBetween(a.at, b.at) <= AGREE * (a.metres + b.metres);

function precisionOf(evidence: readonly Evidence[]): Precision {
  const rankOf = (precision: Precision): number => limits.findIndex(([listed]) => listed === precision);
  const reached = limits.find(([, limit], rank) =>
    evidence.some(({ precision, metres }) => precision !== 'city' && rankOf(precision) <= rank && metres <= limit),
  );
  return reached?.[0] ?? 'city';
}
