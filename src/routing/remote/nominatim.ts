import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Place, Precision } from '../../base/place.js';
import { createGate } from '../../base/turns/queue.js';
import { hyphened } from '../address/codes.js';
import { readOnce, toLocated } from '../address/embedded-geocoder.js';
import type { Read } from '../address/reading.js';
import { nameOfState } from '../address/states.js';
import { placeOf } from '../places/place-of.js';
import type { Geocoder } from '../ports.js';
import { type Fallback, OutOfTimeError } from './fallback.js';
import { askJson, below } from './json-client.js';
import { neighbourhoodAmong, postalCodeAmong, resultsIn, streetAmong } from './nominatim-answer.js';

const CACHE_SIZE = 5_000;
const MAX_SEARCHES_AT_ONCE = 4;
/** Most time from an order until its last search begins. An order asks for all its addresses at once. */
const TIME_MS = 4_000;

const precisions: readonly Place['precision'][] = ['rooftop', 'street', 'postal_code', 'district', 'city'];

interface Search {
  /** The finest precision that an answer to this search can have. */
  precision: Precision;
  query: Record<string, string>;
  pick: typeof streetAmong;
}

/**
 * Asks a Nominatim-compatible service for the parts of an address, until an answer is finer than the gazetteer's. An
 * address that the gazetteer cannot read stays an error, because a search engine would guess.
 */
export function createNominatim(url: string, { ask, isResting }: Fallback, timeMs = TIME_MS): Geocoder {
  const gate = createGate({ atOnce: MAX_SEARCHES_AT_ONCE, atOnceOfOwner: MAX_SEARCHES_AT_ONCE });
  const search = (query: Search['query'], until: number): Promise<unknown> =>
    gate.pass('', undefined, async () => {
      // Waits for a later turn of the event loop. By then the waiting searches know of a failure.
      await setImmediate();
      if (isResting() || performance.now() > until) throw new OutOfTimeError('the searches of an order take too long');
      return askJson(searchUrl(url, query));
    });
  const answers = new LRUCache<string, { place: Place }, Read>({
    max: CACHE_SIZE,
    fetchMethod: async (_, __, { context: reading }) => {
      const until = performance.now() + timeMs;
      const embedded = placeOf(reading);
      for (const { precision, query, pick } of searchesFor(reading)) {
        if (precisions.indexOf(precision) > precisions.indexOf(embedded.precision)) break;
        const place = pick(resultsIn(await search(query, until), reading.municipality), reading);
        if (place) return { place };
      }
      return { place: embedded };
    },
  });
  return {
    read(address) {
      const reading = readOnce(address);
      return reading.ok ? undefined : toLocated(reading);
    },
    async locate(address) {
      const reading = readOnce(address);
      if (!reading.ok) return toLocated(reading);
      const remote = async () => (await answers.fetch(address, { context: reading }))?.place ?? placeOf(reading);
      return { ok: true, place: await ask(remote, () => placeOf(reading)) };
    },
  };
}

/**
 * The searches, finest first. With a number that is not on the map, a search would not find the street. A CEP in 000 is
 * a town's.
 */
function searchesFor({ municipality, street, neighbourhood, postalCode, isPostalCodeElsewhere }: Read): Search[] {
  const city = { city: municipality.name, state: nameOfState(municipality.state) };
  const searches: Search[] = [];
  if (street) {
    const name = street.words.map(hyphened).join(' ');
    const pick = streetAmong;
    if (street.number !== undefined)
      searches.push({ precision: 'rooftop', query: { street: `${street.number} ${name}`, ...city }, pick });
    searches.push({ precision: 'street', query: { street: name, ...city }, pick });
  }
  if (postalCode !== undefined && !isPostalCodeElsewhere && !postalCode.endsWith('000')) {
    const postalcode = `${postalCode.slice(0, 5)}-${postalCode.slice(5)}`;
    searches.push({ precision: 'postal_code', query: { postalcode }, pick: postalCodeAmong });
  }
  if (neighbourhood) {
    const q = [neighbourhood.join(' '), city.city, city.state].join(', ');
    searches.push({ precision: 'district', query: { q }, pick: neighbourhoodAmong });
  }
  return searches;
}

function searchUrl(url: string, query: Search['query']): URL {
  const search = below(url, '/search');
  const common = { format: 'jsonv2', countrycodes: 'br', limit: '10', addressdetails: '1' };
  search.search = new URLSearchParams({ ...query, ...common }).toString();
  return search;
}
