import { execFile } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Members } from '../../cluster/members.js';
import type { TopologyFault } from './fault.js';
import { outages } from './outage.js';

const execute = promisify(execFile);
const FULL_MS = 15_000;
const BACK_MS = 5_000;
const BLOCK_BYTES = 64 * 1_048_576;

/** Gives the follower a separate disk in memory, makes it the leader, and removes the disk at the end. */
async function onSmallDisk<T>(members: Members, work: (folder: string) => Promise<T>): Promise<T> {
  const { follower } = await members.pair();
  const folder = join(follower.root, 'var/lib/postgresql');
  const { uid, gid } = await stat(folder);
  await follower.signal('SIGTERM');
  await execute('mount', ['-t', 'tmpfs', '-o', `size=2g,mode=700,uid=${uid},gid=${gid}`, 'malote', folder]);
  try {
    // The disk is empty, so Patroni copies the leader.
    await follower.start();
    await members.whole();
    await members.switchOver();
    await members.whole();
    return await work(folder);
  } finally {
    const { leader } = await members.pair();
    if (leader.name === follower.name) await members.switchOver();
    await members.whole();
    await follower.signal('SIGTERM');
    await execute('umount', [folder]);
    await follower.start();
    await members.whole();
  }
}

/** Writes until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(BLOCK_BYTES);
  const written = () => file.write(block).then(({ bytesWritten }) => bytesWritten);
  while ((await written().catch(() => 0)) > 0);
  await file.close();
}

export const fullDisk: TopologyFault = {
  what: `the leader's disk full for ${FULL_MS / 1_000} s under load`,
  promise: `nothing acknowledged is lost, only 503 meanwhile, back ≤ ${BACK_MS / 1_000} s after there is space`,
  run: (topology) =>
    onSmallDisk(topology.cluster.members, (folder) =>
      outages({ topology, times: 1, maxMs: BACK_MS, answers: /^. (409|503)$/, afterwards: true }, async () => {
        const ballast = join(folder, 'ballast');
        await fill(ballast);
        await sleep(FULL_MS);
        await rm(ballast);
      }),
    ),
};
