import { LRUCache } from 'lru-cache';
import type { Located } from '../../base/place.js';
import { computedOnce } from '../../base/values.js';
import {
  hasStreet,
  hasStreetOfKind,
  isPlacedNeighbourhood,
  neighbourhoodOf,
  neighbourhoodOneLetterOff,
  streetSpelledRight,
} from '../places/city-places.js';
import type { Municipality } from '../places/municipalities.js';
import { placeOf } from '../places/place-of.js';
import { streetKey } from '../places/street-key.js';
import type { Geocoder } from '../ports.js';
import { agreed } from './agreed.js';
import { isQuadra, wholeQuadra, withSector } from './brasilia.js';
import { cityWithState } from './city.js';
import { withCodes } from './codes.js';
import { isNeighbourhoodOf } from './locality.js';
import { cityAlone } from './lone-city.js';
import { type Parts, toParts } from './parts.js';
import { takePostalCodes } from './postal-code.js';
import { type CityMatch, type NamedStreet, notRead, type Read, type Reading } from './reading.js';
import { isLabelled, type Segment, toSegments } from './segments.js';
import { stateByCode, stateByName } from './states.js';
import { toWords } from './words.js';

// A cache, because a shipper's pickups recur from order to order.
const readings = new LRUCache<string, Reading>({ max: 5_000, memoMethod: (address) => readAddress(address) });

/** Reads the address, or takes its reading from the cache. */
export const readOnce = (address: string): Reading => readings.memo(address);

export const embeddedGeocoder: Geocoder = {
  locate: async (address) => toLocated(readOnce(address)),
  read: (address) => toLocated(readOnce(address)),
};

export const locateEmbedded = (address: string): Located => toLocated(readAddress(address));

export const toLocated = computedOnce(
  (reading: Reading): Located =>
    reading.ok ? { ok: true, place: placeOf(reading) } : { ok: false, message: reading.message },
);

/**
 * Reads state, municipality, neighbourhood, street and CEP out of a free-form Brazilian address: any text, in time
 * proportional to its length. An address that contradicts itself or fits several places is not placed.
 */
export function readAddress(address: string): Reading {
  const { codes, isMalformed, rest } = takePostalCodes(toWords(address));
  const [digits, second] = codes;
  if (isMalformed) return notRead('unknown', 'The CEP was not understood: it must have 8 digits.');
  if (digits !== undefined && second !== undefined)
    return notRead('contradiction', 'The address has more than one CEP: write one only.');
  const parts = toParts(toSegments(withCodes(rest)));
  if (parts.names.length === 0 && !parts.street && digits === undefined)
    return notRead('unknown', 'The address names no place: write city and UF, or the CEP.');
  const withState = cityWithState(parts);
  const named = withState ?? cityAlone(parts, digits !== undefined);
  const city =
    digits === undefined ? named : agreed(named, { digits, names: parts.names, hasState: named === withState });
  return city.ok ? toReading(city, parts, digits) : { ok: false, reason: city.reason, message: city.message };
}

function toReading(city: CityMatch, { names, street, rural }: Parts, digits: string | undefined): Reading {
  const { municipality } = city;
  const neighbourhood = neighbourhoodBeside(city, names);
  const words = city.at < 0 ? city.before : street?.words;
  return {
    ok: true,
    municipality,
    ...(neighbourhood && { neighbourhood }),
    ...(street && words && { street: toStreet(municipality, { ...street, words }, neighbourhood) }),
    ...(rural.some((name) => !isPlacedNeighbourhood(municipality, name)) && { isRural: true }),
    ...(digits !== undefined && { postalCode: digits }),
    ...(city.isPostalCodeElsewhere && { isPostalCodeElsewhere: true }),
  };
}

function toStreet(
  municipality: Municipality,
  named: NamedStreet,
  neighbourhood: Segment | undefined,
): NonNullable<Read['street']> {
  const { coded, lots } = named;
  const { words: written, number } = coded && isCoded(municipality, named, coded) ? coded : named;
  const words = municipality.state === 'DF' ? withSector(written, neighbourhood) : written;
  const street: NonNullable<Read['street']> = streetSpelledRight(municipality, words, neighbourhood);
  if (number !== undefined && !isNoNumber(number)) street.number = number;
  if (lots) street.lots = lots;
  if (municipality.state === 'DF' && isQuadra(words)) street.quadra = streetKey(wholeQuadra(words));
  return street;
}

/** Tells whether the number is 0, which people write for "no number" in forms that ask for one. */
const isNoNumber = (number: string): boolean => Number.parseInt(number, 10) === 0;

/**
 * Tells whether `Avenida T 63` means T-63: the city has that street or, before a second number, lacks the plain one.
 */
function isCoded(municipality: Municipality, plain: NamedStreet, coded: NonNullable<NamedStreet['coded']>): boolean {
  if (hasStreetOfKind(municipality, coded.words)) return true;
  return coded.number !== undefined && (plain.words.at(-1) ?? '').length < 3 && !hasStreet(municipality, plain.words);
}

/**
 * The known neighbourhood nearest to the city's name. Without one, the nearest name, with one wrong letter corrected.
 */
function neighbourhoodBeside({ municipality, at, before }: CityMatch, names: readonly Segment[]): Segment | undefined {
  const left = at < 0 ? [] : [before, ...names.slice(0, at).reverse()];
  const right = names.slice(at + 1).filter((words) => stateNamed(words) !== municipality.state);
  const near = [...left, ...right].map((words) => withoutLabel(municipality, words));
  const known = near.find((words) => isNeighbourhoodOf(municipality, words));
  const name = known ?? near.find((words) => words.length > 0 && stateNamed(words) === undefined);
  return known ?? (name && (neighbourhoodOneLetterOff(municipality, name) ?? name));
}

/** `bairro Moema` and `Bairro Bairro Moema` → `moema`, but `Distrito Industrial` may be a name. */
function withoutLabel(municipality: Municipality, words: Segment): Segment {
  if (!isLabelled(words)) return words;
  const inner = isBairro(words) ? words.slice(1) : words;
  const name = isBairro(inner) ? inner.slice(1) : inner;
  return isLabelled(name) && !isKnown(municipality, name) ? name.slice(1) : name;
}

const isBairro = (words: Segment): boolean => isLabelled(words) && words[0] !== 'distrito';

const isKnown = (municipality: Municipality, words: Segment): boolean =>
  neighbourhoodOf(municipality, words) !== undefined;

function stateNamed(words: Segment): string | undefined {
  const key = words.join(' ');
  return stateByName(key) ?? stateByCode(key);
}
