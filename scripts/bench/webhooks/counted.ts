import { sql } from 'kysely';
import { createLog } from '../../../src/base/log.js';
import { createHttpClient, type Send } from '../../../src/webhook/http-client.js';
import { createWorker, type WebhookWorker } from '../../../src/webhook/index.js';
import { standardSettings } from '../../../src/webhook/settings.js';
import type { Stage } from './stage.js';

/** A sender whose acknowledged bodies are counted; `seen` is told of each. */
export function counted(stage: Stage, seen: (body: Buffer) => void = () => undefined) {
  const network = createHttpClient({ ...standardSettings, addresses: stage.addresses, extraCa: stage.extraCa });
  const count = { bodies: 0 };
  const send: Send = async (request, signal) => {
    const sent = await network.send(request, signal);
    if (sent.outcome.kind === 'answered' && sent.outcome.status === 200) {
      count.bodies += 1;
      seen(request.body);
    }
    return sent;
  };
  const sender: WebhookWorker = createWorker({
    db: stage.db,
    log: createLog({ level: 'error' }),
    encryptionKeys: stage.ring,
    addresses: stage.addresses,
    send,
  });
  const stop = async (): Promise<void> => {
    await sender.stop();
    network.close();
  };
  return { sender, count, stop };
}

/** Seconds, and microseconds of this process's CPU, that something took. */
export async function cost(work: () => Promise<unknown>): Promise<{ took: number; cpu: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { took: (performance.now() - started) / 1000, cpu: user + system };
}

/** Notifications that are not acknowledged. */
export async function remaining({ db }: Stage): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from webhook_notifications`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
