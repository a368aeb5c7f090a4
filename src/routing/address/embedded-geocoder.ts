import type { Located } from '../../base/place.js';
import type { Municipality } from '../places/municipalities.js';
import { placeOf } from '../places/place-of.js';
import { municipalitiesOfPostalCode, stateOfPostalCode } from '../places/postal-codes.js';
import type { Geocoder } from '../ports.js';
import { type CityMatch, type CitySearch, cityAnywhere, cityInState, cityMatch, cityWithState } from './city.js';
import { nearestDistrict } from './locality.js';
import { takePostalCodes } from './postal-code.js';
import { contradiction, fullName, type NotRead, oneOf, type Reading, unknown } from './reading.js';
import { type Segment, toSegments } from './segments.js';
import { capitalNamedAfter } from './states.js';
import { nameKey, toWords } from './words.js';

export const embeddedGeocoder: Geocoder = {
  locate: async (address) => locateEmbedded(address),
  read: locateEmbedded,
};

/** Places an address by the gazetteer inside; never finer than its district. */
export function locateEmbedded(address: string): Located {
  return toLocated(readAddress(address));
}

export function toLocated(reading: Reading): Located {
  return reading.ok ? { ok: true, place: placeOf(reading) } : { ok: false, message: reading.message };
}

/**
 * Reads state, municipality, district and CEP out of a free-form Brazilian address. Takes any text, in time
 * proportional to its length. What contradicts itself or fits several places is not placed.
 */
export function readAddress(address: string): Reading {
  const { codes, isMalformed, rest } = takePostalCodes(toWords(address));
  const [digits, second] = codes;
  if (isMalformed) return unknown('The CEP was not understood: it must have 8 digits.');
  if (digits !== undefined && second !== undefined)
    return contradiction('The address has more than one CEP: write one only.');
  const postalCode = digits === undefined ? undefined : toPostalCode(digits);
  if (digits !== undefined && postalCode === undefined)
    return unknown('The CEP belongs to no state. Check its digits.');
  const segments = toSegments(rest);
  if (segments.length === 0 && postalCode === undefined) return unknown('The address names no place.');
  const city = findCity(segments, postalCode);
  if (city === undefined) return unknown('The address names no city.');
  if (!city.ok) return city;
  const conflict = postalCode && postalCodeConflict(postalCode, city.municipality);
  return conflict ?? withDistrict(city, segments, postalCode);
}

/** A CEP with what it says by itself. */
interface PostalCode {
  digits: string;
  state: string;
  /** The municipalities that it may be of, the most likely first; none where its range is nobody's. */
  cities: readonly Municipality[];
}

function toPostalCode(digits: string): PostalCode | undefined {
  const cities = municipalitiesOfPostalCode(digits);
  const state = cities[0]?.state ?? stateOfPostalCode(digits);
  return state === undefined ? undefined : { digits, state, cities };
}

/** The city by its name; failing that, by a CEP whose range belongs to one city. */
function findCity(segments: readonly Segment[], postalCode: PostalCode | undefined): CitySearch {
  const [likely] = postalCode?.cities ?? [];
  const byCode = likely && cityMatch(likely, segments.length);
  const inCapital = likely !== undefined && capitalNamedAfter(likely.state) === nameKey(likely.name);
  const named = cityWithState(segments, inCapital);
  if (named) return named.ok || named.reason !== 'unknown' ? named : (byCode ?? named);
  if (segments.length === 0) return byCode ?? unknown('The address names no city.');
  if (postalCode === undefined) return cityAnywhere(segments);
  const inState = cityInState(segments, postalCode.state);
  return inState && !inState.ok && inState.reason === 'unknown' ? (byCode ?? inState) : inState;
}

function postalCodeConflict({ state, cities }: PostalCode, municipality: Municipality): NotRead | undefined {
  if (cities.includes(municipality)) return undefined;
  if (state !== municipality.state)
    return contradiction(`The CEP is of ${state}, but the address says ${fullName(municipality)}.`);
  if (cities.length === 0) return undefined;
  return contradiction(`The CEP is of ${oneOf(cities)}, but the address says ${fullName(municipality)}.`);
}

function withDistrict(city: CityMatch, segments: readonly Segment[], postalCode: PostalCode | undefined): Reading {
  const others = segments.map((segment, at) => (at === city.at ? city.before : segment));
  const district = nearestDistrict(others, city.at, city.municipality);
  return {
    ok: true,
    municipality: city.municipality,
    ...(district && { district }),
    ...(postalCode && { postalCode: postalCode.digits }),
  };
}
