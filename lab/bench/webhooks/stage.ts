import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../src/base/secrets/keys.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { type AddressRules, addressRules } from '../../../src/endpoints/addresses.js';
import { createHttpClient, type Send } from '../../../src/webhook/http-client.js';
import { createWorker, type WebhookWorker } from '../../../src/webhook/index.js';
import { standardSettings } from '../../../src/webhook/settings.js';
import { startPostgres } from '../../../test/support/postgres.js';
import { waitFor } from '../../../test/support/receiver.js';

// Longer than any part takes on a slow machine.
const PATIENCE_MS = 600_000;

/** A new database, and receivers. */
export interface Stage {
  db: Db;
  /** Figures of the database. */
  url: string;
  folder: string;
  ring: KeyRing;
  urls: string[];
  addresses: AddressRules;
  extraCa: string;
  close(): Promise<void>;
}

/** So many of the `receivers` answer 500. */
export async function openStage(receivers: number, dead = 0): Promise<Stage> {
  const log = createLog({ level: 'warn' });
  const postgres = await startPostgres({ level: 'warn' });
  const { nearUrl: url } = postgres;
  await migrate(url, log);
  const patience = { statementTimeoutMs: PATIENCE_MS, connectionTimeoutMs: PATIENCE_MS };
  const db = connect({ url, poolSize: 10, applicationName: 'bench', log, ...patience });
  const child = fork('lab/bench/webhooks/receivers.ts', [String(receivers), String(dead)]);
  const { ports, ca } = await introduction(child);
  return {
    db,
    url,
    folder: postgres.folder,
    ring: [{ id: 'bench', secret: randomBytes(32) }],
    urls: ports.map((port) => `https://127.0.0.1:${port}/`),
    addresses: addressRules(['127.0.0.1'], ports),
    extraCa: ca,
    close: async () => {
      child.disconnect();
      await db.destroy();
      await postgres.stop();
    },
  };
}

function introduction(child: ChildProcess): Promise<{ ports: number[]; ca: string }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message: { ports: number[]; ca: string }) => resolve(message));
    child.once('exit', (code) => reject(new Error(`the receivers ended with ${code}`)));
  });
}

/** A worker whose acknowledged bodies are counted. `onAcknowledged` is called with each. */
export function counted(stage: Stage, onAcknowledged: (body: Buffer) => void = () => undefined) {
  const network = createHttpClient({ ...standardSettings, addresses: stage.addresses, extraCa: stage.extraCa });
  const count = { bodies: 0 };
  const send: Send = async (request, signal) => {
    const sent = await network.send(request, signal);
    if (sent.outcome.kind === 'answered' && sent.outcome.status === 200) {
      count.bodies += 1;
      onAcknowledged(request.body);
    }
    return sent;
  };
  const worker: WebhookWorker = createWorker({
    db: stage.db,
    log: createLog({ level: 'error' }),
    encryptionKeys: stage.ring,
    addresses: stage.addresses,
    send,
  });
  const stop = async (): Promise<void> => {
    await worker.stop();
    network.close();
  };
  return { worker, count, stop };
}

/** The seconds of some work, and the microseconds of this process's CPU. */
export async function cost(work: () => Promise<unknown>): Promise<{ took: number; cpu: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { took: (performance.now() - started) / 1000, cpu: user + system };
}

/** Waits for the worker. */
export const until = (done: () => boolean): Promise<void> => waitFor(done, 'the deliveries', PATIENCE_MS);
