import type { Point } from './municipalities.js';

/** Metres of a degree of latitude on a sphere with the Earth's mean radius. */
const DEGREE_METRES = 111_195;
const RADIANS = Math.PI / 180;

export interface PointCluster extends Point {
  count: number;
  spread: number;
}

/** Straight metres between two points of one region. Up to 1 000 km the error is some per cent. */
export function metresBetween(a: Point, b: Point): number {
  const north = a.latitude - b.latitude;
  const east = (a.longitude - b.longitude) * Math.cos(a.latitude * RADIANS);
  return DEGREE_METRES * Math.sqrt(north * north + east * east);
}

/** Summarises points. The middle is the median, which a few wrong points do not move. The list must not be empty. */
export function clusterOf(points: readonly Point[]): PointCluster {
  const middle = { latitude: median(points, 'latitude'), longitude: median(points, 'longitude') };
  const distances = points.reduce((sum, point) => sum + metresBetween(middle, point), 0);
  const spread = points.length > 1 ? distances / (points.length - 1) : 0;
  return { ...middle, count: points.length, spread };
}

function median(points: readonly Point[], axis: keyof Point): number {
  const values = points.map((point) => point[axis]).sort((a, b) => a - b);
  const half = (values.length - 1) / 2;
  return ((values[Math.floor(half)] ?? 0) + (values[Math.ceil(half)] ?? 0)) / 2;
}

/** Expected metres from the middle to an address of the cluster. The usual metres weigh as much as 1.5 points. */
export function expectedMetres({ count, spread }: PointCluster, usual: number): number {
  const shown = (1.5 * usual + (count - 1) * spread) / (1.5 + count - 1);
  return shown * Math.sqrt(1 + 1 / count);
}

/** At most `max` of the values, spread evenly over the list. */
export const sampleOf = <T>(values: readonly T[], max: number): readonly T[] =>
  values.length <= max ? values : values.filter((_, at) => at % Math.ceil(values.length / max) === 0);

/** A point where an address may lie, and the expected metres between the two. */
export interface Estimate {
  at: Point;
  metres: number;
}

/** The mean of estimates, each weighted by its certainty. The list must not be empty. */
export function weightedMean(estimates: readonly Estimate[]): Point {
  const sum = { latitude: 0, longitude: 0, weight: 0 };
  for (const { at, metres } of estimates) {
    const weight = 1 / metres ** 2;
    sum.latitude += weight * at.latitude;
    sum.longitude += weight * at.longitude;
    sum.weight += weight;
  }
  return { latitude: sum.latitude / sum.weight, longitude: sum.longitude / sum.weight };
}

/**
 * Joins estimates of one place into their mean. Metres that they lie further apart than expected count `doubt` times.
 */
export function joined(estimates: readonly Estimate[], doubt: number): Estimate {
  const at = weightedMean(estimates);
  const certainty = estimates.reduce((sum, { metres }) => sum + 1 / metres, 0);
  const distance = estimates.reduce(
    (sum, each) => sum + Math.max(0, metresBetween(each.at, at) - each.metres) / each.metres,
    0,
  );
  return { at, metres: Math.min(...estimates.map(({ metres }) => metres)) + (doubt * distance) / certainty };
}

/** Most metres from the middle of estimates that agree. One of them may be wrong, but the middle is never far off. */
const TOGETHER = 6_000;

/** The middle of estimates that may all be right. Undefined if they lie too far apart. */
export function middleOf(estimates: readonly Estimate[]): Estimate | undefined {
  const at = weightedMean(estimates.map((each) => ({ at: each.at, metres: 1 })));
  const away = estimates.map((each) => metresBetween(at, each.at));
  const metres = estimates.reduce((sum, each, i) => sum + each.metres + (away[i] ?? 0), 0) / estimates.length;
  return Math.max(...away) <= TOGETHER ? { at, metres } : undefined;
}

/** The estimate with the fewest expected metres to all. One of them is right; a weight tells how likely each one is. */
export function expectedAmong(estimates: readonly (Estimate & { weight: number })[]): Estimate {
  const total = estimates.reduce((sum, { weight }) => sum + weight, 0);
  const candidates = estimates.map(({ at }) => {
    const sum = estimates.reduce(
      (metres, each) => metres + each.weight * (each.metres + metresBetween(at, each.at)),
      0,
    );
    return { at, metres: sum / total };
  });
  return candidates.reduce((a, b) => (b.metres < a.metres ? b : a));
}
