import { type ConfiguredWorker, createWorkerFromConfig } from '../webhook/index.js';
import type { Context } from './context.js';
import type { Database } from './database.js';

/** The worker of interface C. It sends nothing until its own `start`. */
export async function start(context: Context, { db, clockWatch }: Database): Promise<ConfiguredWorker> {
  const { config, log, keys, metrics, overrides, readiness, registry, running, tracer } = context;
  const { encryptionKeys } = keys;
  const watchers = { metrics: registry, runSweep: metrics.runSweep, tracer, mayWork: clockWatch.isRight };
  const worker = await createWorkerFromConfig({ db, log, config, encryptionKeys, ...watchers });
  running.add(worker.stop);
  // An API serves whether or not webhooks can be sent.
  if (overrides.api === false) readiness.add(async () => sendingObstacle(worker.troubles()));
  return worker;
}

const sendingObstacle = (troubles: readonly string[]) =>
  troubles.length > 0 ? { reason: 'sending', text: `webhooks cannot be sent: ${troubles.join('; ')}` } : undefined;
