import { execFile } from 'node:child_process';
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { App, Overrides } from '../app/index.js';
import { cliSettingNames } from '../base/cli-config.js';
import { type Config, loadConfig, readEnvironment, settingNames } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { runProcess } from '../base/process.js';
import { ConfigError } from '../base/settings.js';
import { MARK } from './forked.js';
import { unknownSettings } from './unknown-settings.js';

type Parts = Pick<Overrides, 'api' | 'worker'>;
export type Announced = Pick<App, 'url' | 'internalUrl' | 'firstOperator'>;

/** So many pools of the default size are within the 100 connections that PostgreSQL has unless told otherwise. */
const MOST_BY_ITSELF = 8;

/** The number of processes; `auto` leaves one core to PostgreSQL. API and worker apart are one process each. */
export function processesOf({ processes }: Pick<Config, 'processes'>, { api, worker }: Parts, cores: number): number {
  if (processes !== 'auto') return processes;
  return api === false || worker === false ? 1 : Math.min(Math.max(1, cores - 1), MOST_BY_ITSELF);
}

/** Runs the service in this process or, by `PROCESSES`, in several under it; prints what `announce` says. */
export async function runService(parts: Parts, announce: (app: Announced, config: Config) => string): Promise<void> {
  if (process.env[MARK]) {
    const { runSupervised } = await import('./supervised.js');
    return runSupervised(loadConfig(readEnvironment()), parts);
  }
  await runProcess(async () => {
    const config = loadConfig(readEnvironment());
    if (parts.api === false && !config.databaseUrl) {
      throw new ConfigError('DATABASE_URL must be set: a worker shares its database with the API');
    }
    warnOfSettings(config);
    const service = await start(config, parts);
    process.stdout.write(`${announce(service, config)}\n`);
    const systemd = systemdOf(readEnvironment(), service.log);
    systemd.ready();
    const stop = () => {
      systemd.stopping();
      return service.stop();
    };
    return { ...service, stop };
  });
}

/** By name only: what is written there may be a secret. */
function warnOfSettings({ logLevel }: Config): void {
  const settings = unknownSettings(process.env, [...settingNames, ...cliSettingNames]);
  if (settings.length > 0) {
    createLog({ level: logLevel }).warn({ settings }, 'not settings, though they look like some: see docs/settings.md');
  }
}

// Each imports only what it needs: a supervisor is small, and so is what is loaded besides the service that runs alone.
async function start(given: Config, parts: Parts) {
  // In a process of another manager's cluster, that manager starts as many as are wanted.
  const processes = cluster.isPrimary ? processesOf(given, parts, availableParallelism()) : 1;
  const log = createLog({ level: given.logLevel, service: given.otelServiceName });
  const database = await withDatabase(given, processes, log);
  try {
    const service = await (processes > 1
      ? import('./fleet.js').then(({ supervise }) => supervise(database.config, processes))
      : import('../app/index.js').then(({ createApp }) => createApp(database.config, parts)));
    return { ...service, stop: () => service.stop().finally(database.stop) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Tells systemd, where it listens, by its own program: Node has no datagram sockets of that kind. */
function systemdOf({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv, log: Logger) {
  let watchdog: NodeJS.Timeout | undefined;
  let failed = false;
  const tell = (state: string): void => {
    if (!NOTIFY_SOCKET) return;
    execFile('systemd-notify', [state], (err) => {
      if (err && !failed) log.warn({ err }, 'cannot tell systemd how the service is');
      failed = err !== null;
    });
  };
  return {
    /** From then on it hears regularly that the event loop turns, where its unit says `WatchdogSec`. */
    ready: (): void => {
      tell('READY=1');
      const everyMs = Number(WATCHDOG_USEC) / 2_000;
      if (everyMs > 0) watchdog = setInterval(tell, everyMs, 'WATCHDOG=1').unref();
    },
    stopping: (): void => {
      clearInterval(watchdog);
      tell('STOPPING=1');
    },
  };
}

// PostgreSQL's own default, and connections beside the pools: two each that learn of ended tokens and of readiness,
// migrations, operators' tools.
const MOST_CONNECTIONS = 100;
const OTHER_CONNECTIONS = 20;

/** Starts the embedded database, with room for the pools of all processes, unless DATABASE_URL names another. */
export async function withDatabase(config: Config, processes: number, log: Logger) {
  if (config.databaseUrl) return { config, stop: async () => undefined };
  const { startEmbedded } = await import('../embedded/embedded.js');
  const needed = processes * (config.databasePoolSize + 2) + OTHER_CONNECTIONS;
  const settings = { max_connections: String(Math.max(MOST_CONNECTIONS, needed)) };
  const { nearUrl, stop } = await startEmbedded({ dataDir: config.dataDir, settings, log });
  return { config: { ...config, databaseUrl: nearUrl }, stop };
}
