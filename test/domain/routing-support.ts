import type { Place, Precision } from '../../src/routing/place.js';
import type { RouteProblem } from '../../src/routing/ports.js';
import { seededRandom } from '../../src/routing/route/random.js';

export function placeAt(latitude: number, longitude: number, precision: Precision = 'rooftop'): Place {
  return { latitude, longitude, precision, city: 'São Paulo', state: 'SP' };
}

/** Stops at random in a square; driving times differ by direction when `skew` is above 0. */
export function randomProblem(seed: number, pickups: number, deliveries: number, skew = 0): RouteProblem {
  const random = seededRandom(seed * 7_919 + 13);
  const points = Array.from({ length: pickups + deliveries }, () => [random() * 3_600, random() * 3_600] as const);
  const pickupOf = Array.from({ length: deliveries }, () => Math.floor(random() * pickups));
  const seconds = points.map(([x, y]) =>
    points.map(([u, v]) => Math.hypot(x - u, y - v) * (1 + skew * (random() - 0.5))),
  );
  return { pickups, pickupOf, seconds };
}
