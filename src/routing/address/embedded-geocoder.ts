import type { Located } from '../../base/place.js';
import type { Geocoder } from '../ports.js';
import { readAddress } from './read-address.js';
import { fullName, type Read } from './reading.js';

/** The place that a reading gives: the district's coordinates where it is known, else those of the city's seat. */
export function toLocated({ municipality, district, postalCode }: Read): Located {
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

/** Places an address by the gazetteer inside; never finer than its district. */
export function locateEmbedded(address: string): Located {
  const reading = readAddress(address);
  return reading.ok ? toLocated(reading) : { ok: false, message: reading.message };
}

export const embeddedGeocoder: Geocoder = {
  locate: async (address) => locateEmbedded(address),
  read: locateEmbedded,
};
