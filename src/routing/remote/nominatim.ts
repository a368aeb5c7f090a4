import { LRUCache } from 'lru-cache';
import type { Located, Place, Precision } from '../../base/place.js';
import { isFields } from '../../base/values.js';
import { readAddress, toLocated } from '../address/embedded-geocoder.js';
import type { Reading } from '../address/reading.js';
import { toWords } from '../address/words.js';
import { type Municipality, municipalitySpelledLike } from '../places/municipalities.js';
import type { Geocoder } from '../ports.js';
import type { AskWithFallback } from './fallback.js';
import { below, getJson, toList, toNumber, toRecord } from './json-client.js';

/** Answers held in memory. */
const CACHE_SIZE = 5_000;

/**
 * Asks a Nominatim-compatible service for exact coordinates. What the address itself leaves open or contradicts stays an
 * error, since a search engine would answer it with a guess.
 */
export function createNominatim(url: string, ask: AskWithFallback): Geocoder {
  const answers = new LRUCache<string, { place: Place | undefined }>({
    max: CACHE_SIZE,
    fetchMethod: async (address) => ({ place: await searchPlace(url, address) }),
  });
  return {
    read(address) {
      const reading = readAddress(address);
      return isFinal(reading) ? toLocated(reading) : undefined;
    },
    async locate(address) {
      const reading = readAddress(address);
      if (isFinal(reading)) return toLocated(reading);
      return ask(
        async () => agreed((await answers.fetch(address))?.place, reading),
        () => toLocated(reading),
      );
    },
  };
}

/** What an address leaves open or contradicts is for its author to mend. */
function isFinal(reading: Reading): boolean {
  return !reading.ok && reading.reason !== 'unknown';
}

/** The service's place counts where it lies in the very city that the address was read to name. */
function agreed(place: Place | undefined, reading: Reading): Located {
  if (place === undefined) return toLocated(reading);
  if (!reading.ok) return { ok: true, place };
  const isSameCity = place.city === reading.municipality.name && place.state === reading.municipality.state;
  return isSameCity ? { ok: true, place } : toLocated(reading);
}

/** Undefined when the service has no such place. Rejects when it does not answer well. */
async function searchPlace(url: string, address: string): Promise<Place | undefined> {
  const search = below(url, '/search');
  const query = { q: address, format: 'jsonv2', countrycodes: 'br', limit: '1', addressdetails: '1' };
  search.search = new URLSearchParams(query).toString();
  const [result] = toList(await getJson(search), 'answer');
  return result === undefined ? undefined : toPlace(result);
}

/** Nominatim's place_rank: 30 a house, 26 and 27 streets, 17 to 25 parts of a city, 12 to 16 cities. */
function precisionOf(rank: number, type: unknown): Precision | undefined {
  if (type === 'postcode') return 'postal_code';
  if (rank >= 28) return 'rooftop';
  if (rank >= 26) return 'street';
  if (rank >= 17) return 'district';
  return rank >= 12 ? 'city' : undefined;
}

function firstText(record: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys.map((key) => record[key]).find((value): value is string => typeof value === 'string' && value !== '');
}

function postalCodeOf(address: Record<string, unknown>): string | undefined {
  const digits = (firstText(address, ['postcode']) ?? '').replaceAll(/\D/g, '');
  return digits.length === 8 ? digits : undefined;
}

function municipalityOf(address: Record<string, unknown>, state: string): Municipality | undefined {
  const name = firstText(address, ['city', 'town', 'municipality', 'village']);
  return name === undefined
    ? undefined
    : municipalitySpelledLike(
        toWords(name).map(({ text }) => text),
        state,
      );
}

/** A result that lies in a known municipality of Brazil; undefined for a state, a country, a place abroad. */
function toPlace(result: unknown): Place | undefined {
  const fields = toRecord(result, 'result');
  const address = isFields(fields['address']) ? fields['address'] : {};
  const state = /^BR-([A-Z]{2})$/.exec(firstText(address, ['ISO3166-2-lvl4']) ?? '')?.[1];
  const precision = precisionOf(toNumber(fields['place_rank'], 'place_rank'), fields['addresstype']);
  const municipality = state === undefined ? undefined : municipalityOf(address, state);
  if (precision === undefined || municipality === undefined) return undefined;
  const district = firstText(address, ['suburb', 'city_district', 'neighbourhood', 'quarter']);
  const postalCode = postalCodeOf(address);
  return {
    latitude: toNumber(fields['lat'], 'lat'),
    longitude: toNumber(fields['lon'], 'lon'),
    precision,
    city: municipality.name,
    state: municipality.state,
    ...(district !== undefined && { district }),
    ...(postalCode !== undefined && { postalCode }),
  };
}
