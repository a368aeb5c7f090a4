import { execFile } from 'node:child_process';
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { App, Overrides } from '../app/index.js';
import { type Config, loadConfig, readEnvironment, settingNames } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { runProcess } from '../base/process.js';
import { ConfigError } from '../base/settings.js';
import { cliSettingNames } from '../cli/config.js';
import { MARK } from './forked.js';
import { unknownSettings } from './unknown-settings.js';

/** Which parts of the service run. */
type Parts = Pick<Overrides, 'api' | 'worker'>;
/** What a service that has started says of itself. */
export type Announced = Pick<App, 'url' | 'internalUrl' | 'firstOperator'>;

/** So many pools of the default size are within the 100 connections that PostgreSQL has unless told otherwise. */
const MOST_BY_ITSELF = 8;

/**
 * How many processes there are. `auto` leaves one core to PostgreSQL and the supervisor; API and worker apart are one process each, as
 * whoever starts them so starts as many as wanted.
 */
export function processesOf({ processes }: Pick<Config, 'processes'>, { api, worker }: Parts, cores: number): number {
  if (processes !== 'auto') return processes;
  return api === false || worker === false ? 1 : Math.min(Math.max(1, cores - 1), MOST_BY_ITSELF);
}

/** Runs the service in this process or, as `PROCESSES` says, in several under this one; prints what `announce` says of it. */
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
async function start(config: Config, parts: Parts) {
  const processes = processesOf(config, parts, availableParallelism());
  // In a process of another manager's cluster, which starts as many as wanted, there is nobody to fork.
  if (processes > 1 && cluster.isPrimary) {
    const { supervise } = await import('./supervisor.js');
    return supervise(config, processes);
  }
  const { createApp } = await import('../app/index.js');
  return createApp(config, parts);
}

/** What systemd wants to know of a service that it started as `Type=notify`. */
interface Systemd {
  /** From then on it hears regularly that the event loop turns, where its unit says `WatchdogSec`. */
  ready(): void;
  stopping(): void;
}

/**
 * Tells systemd by its own program, as Node has no datagram sockets of the kind that it listens at. Says nothing where it does not listen.
 */
function systemdOf({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv, log: Logger): Systemd {
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
    ready: () => {
      tell('READY=1');
      const everyMs = Number(WATCHDOG_USEC) / 2_000;
      if (everyMs > 0) watchdog = setInterval(tell, everyMs, 'WATCHDOG=1').unref();
    },
    stopping: () => {
      clearInterval(watchdog);
      tell('STOPPING=1');
    },
  };
}
