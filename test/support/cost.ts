/** Compares the CPU of some work with that of other work in the same run, so that other programs do not matter. */

type Work = () => unknown;

/** Milliseconds of CPU of this process, without the work of other processes. */
async function cpuOf(work: Work): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const TRIES = 6;
/** A smaller cost cannot be distinguished from other work of the process. */
const MIN_MS = 2;

/**
 * The cost of `costly` divided by that of `usual`: the smallest of some tries. A real cost shows in each try.
 */
export async function timesTheCost(costly: Work, usual: Work, most: number): Promise<number> {
  let times = Number.POSITIVE_INFINITY;
  for (let left = TRIES, [one, other] = [times, times]; left > 0 && times > most; left -= 1) {
    other = Math.min(other, await cpuOf(usual));
    one = Math.min(one, await cpuOf(costly));
    times = one / Math.max(other, MIN_MS);
  }
  return times;
}
