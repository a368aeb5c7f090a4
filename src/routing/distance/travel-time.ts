/** Where a leg grows longer, its further part is driven faster: streets, avenues, ring roads, highway. */
const bands: readonly (readonly [untilMetres: number, kmPerHour: number])[] = [
  [5_000, 25],
  [25_000, 40],
  [100_000, 60],
  [Number.POSITIVE_INFINITY, 70],
];

/** Driving seconds for a leg of so many road metres; grows with the leg, ever more slowly. */
export function drivingSeconds(metres: number): number {
  let seconds = 0;
  let from = 0;
  for (const [until, kmPerHour] of bands) {
    if (metres <= from) break;
    seconds += ((Math.min(metres, until) - from) * 3.6) / kmPerHour;
    from = until;
  }
  return seconds;
}
