import type { Place, Precision } from '../../base/place.js';
import { hyphened } from '../address/codes.js';
import type { Read } from '../address/reading.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import { accuracyOf } from './accuracy.js';
import { embeddedCities } from './city-places.js';
import type { CityTable } from './city-table.js';
import { metresBetween, weightedMean } from './clusters.js';
import { type Evidence, evidenceOf } from './evidence.js';
import { municipalityNamed } from './municipalities.js';

/** Expected metres that a place of each precision may be off, finest first. Other places have their city's. */
const limits: readonly [precision: Precision, metres: number][] = [
  ['street', 500],
  ['postal_code', 500],
  ['district', 1_500],
];

/** Two pieces of evidence agree within so many times their expected metres. */
const AGREE = 2.5;
/** When CEP and neighbourhood do not agree, the CEP is mostly wrong. */
const DOUBT_OF_POSTAL_CODE = 1.5;

/** The place of a reading: the mean of all evidence that agrees, the surer counting more; else the seat. */
export function placeOf(reading: Read, cities = embeddedCities()): Place {
  const { municipality, postalCode } = reading;
  const neighbourhood = reading.neighbourhood && cities.neighbourhoodOf(municipality, looseKey(reading.neighbourhood));
  const evidence = evidenceOf(reading, neighbourhood, cities);
  const surest = evidence.reduce((a, b) => (doubt(b) < doubt(a) ? b : a));
  const agreed = evidence.filter((other) => agree(other, surest));
  const isContradicted = evidence.some((other) => other.precision !== 'city' && !agreed.includes(other));
  const precision = isContradicted ? 'city' : precisionOf(agreed);
  const { latitude, longitude } = weightedMean(agreed);
  const name = neighbourhood?.name;
  return {
    latitude: toMetre(latitude),
    longitude: toMetre(longitude),
    precision,
    accuracyMetres: accuracyBy(precision === 'city' ? evidence : agreed, precision, reading, cities),
    city: municipality.name,
    state: municipality.state,
    ...(name !== undefined && { district: name }),
    ...(postalCode !== undefined && { postalCode }),
    ...streetRead(reading),
  };
}

export function streetRead({ street }: Read): Pick<Place, 'streetRead'> {
  if (street === undefined) return {};
  const { words, number, lots = [] } = street;
  return { streetRead: [words.map(hyphened).join(' '), ...(number === undefined ? [] : [number]), ...lots].join(', ') };
}

/** The surest evidence tells best how far off a place is, unless it is no more than a point in the municipality. */
function accuracyBy(evidence: readonly Evidence[], precision: Precision, { municipality }: Read, cities: CityTable) {
  const metres = evidence.map((each) => each.metres);
  if (precision !== 'city') return accuracyOf(precision, Math.min(...metres), municipality);
  const town = cities.townOf(municipality).metres;
  if (evidence.length === 1 && metres[0] === town) return accuracyOf('town', town, municipality);
  return accuracyOf('city', Math.min(town, Math.max(...metres)), municipality);
}

/** The place with an accuracy no better than that of its municipality alone. */
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
