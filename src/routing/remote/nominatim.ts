import type { Place, Precision } from '../../base/place.js';
import { type Municipality, municipalitySpelledLike } from '../address/gazetteer.js';
import { toWords } from '../address/words.js';
import { isRecord, toList, toNumber, toRecord } from './answer.js';
import { below, getJson } from './json-client.js';
import { rememberRecent } from './recent.js';

/** Answers kept in memory. */
const CACHE_SIZE = 5_000;

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
  const address = isRecord(fields['address']) ? fields['address'] : {};
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

/** Asks a Nominatim-compatible service; undefined when it knows no such place. Rejects when it does not answer well. */
export function createNominatim(url: string): (address: string) => Promise<Place | undefined> {
  return rememberRecent(CACHE_SIZE, async (address) => {
    const search = below(url, '/search');
    const query = { q: address, format: 'jsonv2', countrycodes: 'br', limit: '1', addressdetails: '1' };
    search.search = new URLSearchParams(query).toString();
    const [result] = toList(await getJson(search), 'answer');
    return result === undefined ? undefined : toPlace(result);
  });
}
