import type { Located, Place } from '../../base/place.js';
import { toLocated } from '../address/embedded-geocoder.js';
import { readAddress } from '../address/read-address.js';
import type { Reading } from '../address/reading.js';
import type { Geocoder } from '../ports.js';
import type { AskWithFallback } from './fallback.js';
import { createNominatim } from './nominatim.js';

function embedded(reading: Reading): Located {
  return reading.ok ? toLocated(reading) : { ok: false, message: reading.message };
}

/** What an address leaves open or contradicts is for its author to mend. */
function isFinal(reading: Reading): boolean {
  return !reading.ok && reading.fault !== 'unknown';
}

/** The service's place counts where it lies in the very city that the address was read to name. */
function agreed(place: Place | undefined, reading: Reading): Located {
  if (place === undefined) return embedded(reading);
  if (!reading.ok) return { ok: true, place };
  const same = place.city === reading.municipality.name && place.state === reading.municipality.state;
  return same ? { ok: true, place } : embedded(reading);
}

/**
 * Asks the service for exact coordinates. What the address itself leaves open or contradicts stays an error,
 * since a search engine would answer it with a guess.
 */
export function createRemoteGeocoder(url: string, ask: AskWithFallback): Geocoder {
  const search = createNominatim(url);
  return {
    read(address) {
      const reading = readAddress(address);
      return isFinal(reading) ? embedded(reading) : undefined;
    },
    async locate(address) {
      const reading = readAddress(address);
      if (isFinal(reading)) return embedded(reading);
      return ask(
        async () => agreed(await search(address), reading),
        () => embedded(reading),
      );
    },
  };
}
