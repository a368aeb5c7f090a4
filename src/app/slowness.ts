/**
 * Takes a process out of service while its machine does not let it run. Its event loop is then late although it uses
 * little CPU: other programs, a limit, swapping or a stuck disk hold it up. A worker that cannot send for a reason of
 * its own (webhook/troubles.ts) leaves all lanes to others in the same way, instead of trying some again and again.
 *
 * - A process that is late because it works is loaded, not slow. Another process would be as late with its work.
 * - It is out only while another process with the same parts is well. A healthy process holds a lease; a slow one gives
 *   it up. If all are slow, or there is no other process, nobody holds the lease and all serve.
 * - A slow database makes no process slow. If the database does not say who is well, no process is out.
 * - It comes back as soon as it can run again. This does not depend on its load, so it does not go in and out.
 */
import { inBackground } from '../base/background.js';
import { newId } from '../base/ids.js';
import type { Obstacle } from '../base/telemetry/readiness.js';
import type { Db } from '../db/connect.js';
import { holdLease, isHeldByAnother, releaseLease } from '../db/health/leases.js';

const LOOK_MS = 2_000;
/** The shares of lost time at which a process becomes slow (`SLOW`) and is well again (`WELL`). */
const SLOW = 0.5;
const WELL = 0.2;

const slow: Obstacle = {
  reason: 'slow',
  text: 'this machine does not let the process run; others of its kind are well',
};

/**
 * Judges a process by its share of lost time. `parts` names the parts that it runs: processes with the same parts
 * replace each other.
 */
export function createSlowness(db: Db, parts: string, leaseMs = 3 * LOOK_MS) {
  const lease = { name: `well: ${parts}`, holder: newId() };
  let isSlow = false;
  let isOut = false;
  return {
    judge: async (lostShare: number, isTroubled = false): Promise<void> => {
      isSlow = lostShare > (isSlow ? WELL : SLOW);
      const isWell = !isSlow && !isTroubled;
      if (!isWell) await releaseLease(db, lease);
      isOut = !isWell && (await isHeldByAnother(db, lease));
      if (isWell) await holdLease(db, lease, leaseMs);
    },
    serve: (): void => {
      isOut = false;
    },
    isOut: () => isOut,
    check: async (): Promise<Obstacle | undefined> => (isOut && isSlow ? slow : undefined),
    release: () => releaseLease(db, lease),
  };
}

/** Judges this process regularly. */
export function watchSlowness(db: Db, parts: string, isTroubled: () => boolean) {
  const slowness = createSlowness(db, parts);
  const lost = watchLostTime();
  const end = inBackground(async () => {
    await slowness.judge(lost.share(), isTroubled()).catch(slowness.serve);
    return LOOK_MS;
  }, LOOK_MS);
  return {
    ...slowness,
    stop: async (): Promise<void> => {
      lost.stop();
      await end();
      await slowness.release().catch(() => undefined);
    },
  };
}

const TICK_MS = 50;
/** A delay that requests notice. A busy machine causes many shorter ones. */
const STALL_MS = 200;

/** Adds up the delays of the event loop, without the time in which the process itself worked. */
function watchLostTime() {
  let since = { at: performance.now(), cpu: process.cpuUsage(), late: 0 };
  let expectedAt = since.at + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - expectedAt > STALL_MS) since.late += now - expectedAt;
    expectedAt = now + TICK_MS;
  }, TICK_MS).unref();
  return {
    /** The share of lost time since the last call. */
    share: (): number => {
      const { at, cpu, late } = since;
      const { user, system } = process.cpuUsage(cpu);
      since = { at: performance.now(), cpu: process.cpuUsage(), late: 0 };
      return (late - (user + system) / 1_000) / (since.at - at);
    },
    stop: (): void => clearInterval(timer),
  };
}
