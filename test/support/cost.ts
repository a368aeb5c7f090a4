/** CPU of some work beside that of other work of the same run: a verdict that no other program changes. */

type Work = () => unknown;

/** Milliseconds of CPU of this process: what others do meanwhile is not counted. */
async function cpuOf(work: Work): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const TRIES = 6;
/** A smaller cost cannot be told from the process's other work. */
const MIN_MS = 2;

/**
 * Cost of `costly` over that of `usual`, the least of some tries. A real cost shows in each try, other work does not.
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
