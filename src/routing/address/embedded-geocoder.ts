import type { Located } from '../../base/place.js';
import type { Geocoder } from '../ports.js';
import { type CityMatch, type CitySearch, cityAnywhere, cityInState, cityMatch, cityWithState } from './city.js';
import { type Municipality, municipalityNamed } from './gazetteer.js';
import { nearestDistrict } from './locality.js';
import { cityOfPostalCode, hasOwnRanges, stateOfPostalCode, takePostalCodes } from './postal-code.js';
import { contradiction, fullName, type NotRead, type Reading, unknown } from './reading.js';
import { type Segment, toSegments } from './segments.js';
import { nameKey, toWords } from './words.js';

export const embeddedGeocoder: Geocoder = {
  locate: async (address) => locateEmbedded(address),
  read: locateEmbedded,
};

/** Places an address by the gazetteer inside; never finer than its district. */
export function locateEmbedded(address: string): Located {
  return toLocated(readAddress(address));
}

/** The place of a reading: the district's coordinates where it is named, else those of the city's seat. */
export function toLocated(reading: Reading): Located {
  if (!reading.ok) return { ok: false, message: reading.message };
  const { municipality, district, postalCode } = reading;
  const point = district ?? municipality.seat;
  if (point === undefined) {
    const message = `${fullName(municipality)} is known, but not where it lies: the gazetteer has no coordinates of it.`;
    return { ok: false, message };
  }
  return {
    ok: true,
    place: {
      latitude: point.latitude,
      longitude: point.longitude,
      precision: district ? 'district' : 'city',
      city: municipality.name,
      state: municipality.state,
      ...(district && { district: district.name }),
      ...(postalCode !== undefined && { postalCode }),
    },
  };
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
  /** The city that the CEP's range belongs to, where one has it alone. */
  city: Municipality | undefined;
}

function toPostalCode(digits: string): PostalCode | undefined {
  const state = stateOfPostalCode(digits);
  const range = cityOfPostalCode(digits);
  return state === undefined
    ? undefined
    : { digits, state, city: range && municipalityNamed(nameKey(range.city), range.state) };
}

/** The city by its name; failing that, by a CEP whose range belongs to one city. */
function findCity(segments: readonly Segment[], postalCode: PostalCode | undefined): CitySearch {
  const byCode = postalCode?.city && cityMatch(postalCode.city, segments.length);
  const named = cityWithState(segments, postalCode?.city !== undefined);
  if (named) return named.ok || named.reason !== 'unknown' ? named : (byCode ?? named);
  if (segments.length === 0) return byCode ?? unknown('The address names no city.');
  if (postalCode === undefined) return cityAnywhere(segments);
  const inState = cityInState(segments, postalCode.state);
  return inState && !inState.ok && inState.reason === 'unknown' ? (byCode ?? inState) : inState;
}

function postalCodeConflict({ state, city }: PostalCode, municipality: Municipality): NotRead | undefined {
  if (state !== municipality.state)
    return contradiction(`The CEP is of ${state}, but the address says ${fullName(municipality)}.`);
  if (city !== undefined && city !== municipality)
    return contradiction(`The CEP is of ${fullName(city)}, but the address says ${fullName(municipality)}.`);
  if (city === undefined && hasOwnRanges(municipality.state, municipality.name))
    return contradiction(`The CEP is not of ${fullName(municipality)}, which the address says.`);
  return undefined;
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
