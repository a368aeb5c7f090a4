import type { App } from '../app/index.js';
import type { Config } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { type RunningParts, runningParts } from '../base/process.js';
import { startEmbedded } from '../embedded/embedded.js';
import { probesApp } from '../http/server/express-app.js';
import { listen } from '../http/server/listen.js';
import { Fleet } from './fleet.js';

/**
 * Several processes as one service. Each is a whole service, API and worker. The supervisor answers no request itself: it runs the
 * embedded database, hands connections to the processes in turn, counts the rate limits, answers the probes for all, and replaces a
 * process that ends. A process whose supervisor is gone finishes what runs and ends.
 */
export async function supervise(
  config: Config,
  processes: number,
): Promise<Pick<App, 'url' | 'firstOperator' | 'internalUrl' | 'log' | 'stop' | 'stopMs'>> {
  const log = createLog({ level: config.logLevel, service: config.otelServiceName });
  const running = runningParts(log);
  const fleet = new Fleet(processes, log);
  try {
    const databaseUrl = config.databaseUrl ? undefined : await startOwnDatabase(config, processes, log, running);
    const { internalHost: host, internalPort: port } = config;
    const { url: internalUrl, stop } = await listen(probesApp(fleet), { host, port, shutdownSeconds: 0 });
    running.add(stop);
    running.add(() => fleet.stop());
    const { url, firstOperator } = await fleet.start({ processes, internalUrl, databaseUrl });
    const stopMs = 1000 * (config.shutdownDelaySeconds + config.shutdownSeconds);
    return { url, firstOperator, internalUrl, log, stop: running.stop, stopMs };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

// PostgreSQL's own default, and connections beside the pools: two each that learn of ended tokens and of readiness, migrations, operators' tools.
const MOST_CONNECTIONS = 100;
const OTHER_CONNECTIONS = 20;

async function startOwnDatabase(
  { dataDir, databasePoolSize }: Config,
  processes: number,
  log: Logger,
  running: RunningParts,
): Promise<string> {
  const needed = processes * (databasePoolSize + 2) + OTHER_CONNECTIONS;
  const settings = { max_connections: String(Math.max(MOST_CONNECTIONS, needed)) };
  const embedded = await startEmbedded({ dataDir, settings, log });
  running.add(embedded.stop);
  return embedded.nearUrl;
}
