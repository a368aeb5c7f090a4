import { computedOnce } from '../../base/values.js';
import { metresBetween } from './clusters.js';
import { allMunicipalities, type Municipality } from './municipalities.js';

const municipalities = allMunicipalities();

/** Seats about a municipality's own that tell how large it is. */
const SEATS = 6;
/** Metres off the town's middle at which half of the places in the country lie, for each of the municipality's extent. */
const USUAL_SHARE = 0.8;

/**
 * Metres that an address in the country is usually off the middle of its town. Where seats are far between,
 * municipalities are large.
 */
export const ruralMetresOf = computedOnce((municipality: Municipality): number => {
  // The nearest ones in their order, its own seat first.
  const nearest: number[] = [];
  for (const { seat } of municipalities) {
    const metres = metresBetween(municipality.seat, seat);
    if (nearest.length > SEATS && metres >= (nearest[SEATS] ?? 0)) continue;
    const at = nearest.findIndex((other) => other > metres);
    nearest.splice(at < 0 ? nearest.length : at, 0, metres);
    nearest.length = Math.min(nearest.length, SEATS + 1);
  }
  return (USUAL_SHARE * (nearest[SEATS] ?? 0)) / Math.sqrt(SEATS);
});
