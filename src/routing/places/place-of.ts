import type { Place } from '../../base/place.js';
import type { Read } from '../address/reading.js';

/** Where a reading's place lies: the district's coordinates where it is named, else those of the city's seat. */
export function placeOf({ municipality, district, postalCode }: Read): Place {
  const { latitude, longitude } = district ?? municipality.seat;
  return {
    latitude,
    longitude,
    precision: district ? 'district' : 'city',
    city: municipality.name,
    state: municipality.state,
    ...(district && { district: district.name }),
    ...(postalCode !== undefined && { postalCode }),
  };
}
