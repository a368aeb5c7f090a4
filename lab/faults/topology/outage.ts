import { setTimeout as sleep } from 'node:timers/promises';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { type Load, startLoad } from './load.js';
import { PATH, settleLoad, type Topology, unexpected } from './topology.js';

const WARM_UP_MS = 5_000;
/** Time for the service to continue after its recovery. */
const AFTER_MS = 4_000;
const BACK_MS = 60_000;

interface Trial {
  topology: Topology;
  times: number;
  /** The longest time that A, B or D may be without an acknowledgement. */
  maxMs: number;
  /** The other answers allowed during the trouble, for example /^. (0|503)$/. */
  answers: RegExp;
  /** Counts the time from the end of the trouble. */
  afterwards?: boolean;
}

/**
 * Does something under load, so many times. The figures begin with the time until A, B and D were acknowledged again,
 * from the beginning or the end of the trouble.
 */
export async function outages(
  { topology, times, maxMs, answers, afterwards = false }: Trial,
  trouble: (load: Load) => Promise<void>,
): Promise<Finding> {
  const { cluster, url, customer } = topology;
  const load = await startLoad(url, customer, PATH);
  const gaps: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await sleep(WARM_UP_MS);
    const began = performance.now();
    await trouble(load);
    const since = afterwards ? performance.now() : began;
    await back(load);
    await sleep(AFTER_MS);
    gaps.push(load.longestGap(since));
    await cluster.members.whole();
  }
  const finding = await settleLoad(topology, load);
  const seconds = gaps.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
  return {
    figures: `back after ${seconds} s; ${finding.figures}`,
    breaches: [
      ...finding.breaches,
      ...unexpected(load, answers),
      ...expectThat(Math.max(...gaps) <= maxMs, `it took ${seconds} s until the service was back`),
    ],
  };
}

/** Resolves when a request is acknowledged that was sent at least half a second from now. */
export async function back(load: Load): Promise<void> {
  await sleep(500);
  const asked = performance.now();
  for (const end = asked + BACK_MS; !load.waits.some(({ sentAt }) => sentAt > asked); ) {
    if (performance.now() > end) throw new Error(`nothing was acknowledged for ${BACK_MS / 1_000} s`);
    await sleep(20);
  }
}
