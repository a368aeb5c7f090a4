import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyRing } from '../../../src/base/keys.js';
import { createLog } from '../../../src/base/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrate.js';
import { type AddressRules, addressRules } from '../../../src/deliveries/addresses.js';
import { startEmbedded } from '../../../src/embedded/embedded.js';

/** A database and receivers of the bench's own. */
export interface Stage {
  db: Db;
  /** Of the database. */
  url: string;
  folder: string;
  ring: KeyRing;
  urls: string[];
  addresses: AddressRules;
  extraCa: string;
  close(): Promise<void>;
}

const log = createLog({ level: 'warn' });

/** `dead` of the `receivers` answer 500. */
export async function openStage(receivers: number, dead = 0): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-bench-'));
  // So that PostgreSQL, under root a user of its own, can keep its files there.
  await chmod(folder, 0o755);
  const server = await startEmbedded({ dataDir: folder, log });
  await migrate(server.nearUrl, log);
  const db = connect({ url: server.nearUrl, poolSize: 10, applicationName: 'bench', log, statementTimeoutMs: 600_000 });
  const child = fork(join(import.meta.dirname, 'receivers.ts'), [String(receivers), String(dead)]);
  const { ports, ca } = await introduction(child);
  return {
    db,
    url: server.nearUrl,
    folder,
    ring: [{ id: 'bench', secret: randomBytes(32) }],
    urls: ports.map((port) => `https://127.0.0.1:${port}/`),
    addresses: addressRules(['127.0.0.1'], ports),
    extraCa: ca,
    close: async () => {
      child.disconnect();
      await db.destroy();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function introduction(child: ChildProcess): Promise<{ ports: number[]; ca: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message: { ports: number[]; ca: string }) => resolve(message));
    child.once('exit', (code) => reject(new Error(`the receivers ended with ${code}`)));
  });
}

/** Waits until something is so. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(5);
}
