import { execFile } from 'node:child_process';
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { type Config, loadConfig, readEnvironment, settingNames } from '../base/config.js';
import { ConfigError } from '../base/settings.js';
import { createLog, type Logger } from '../base/telemetry/log.js';
import { nodeRefusal } from '../base/version.js';
import { cliSettingNames } from '../cli/config.js';
import type { Overrides } from './context.js';
import type { App } from './index.js';
import { unknownSettings } from './unknown-settings.js';

type Parts = Pick<Overrides, 'api' | 'worker'>;
export type Announced = Pick<App, 'url' | 'internalUrl' | 'firstOperator'>;
type Service = Announced & Pick<App, 'log' | 'stop' | 'stopMs'>;

/**
 * Switches off pretenuring: V8 would place objects directly into the old generation if such objects lived long before.
 * It misjudges the elements of pages that way. Dead ones then keep younger objects alive until a full collection, so a
 * page costs a third more CPU.
 */
const ALL_BEGIN_YOUNG = '--no-allocation-site-pretenuring';

/**
 * Runs the service until SIGTERM or SIGINT, and prints the text of `announce`. If the start fails, it prints one line.
 * The process is killed only if something blocks it at the deadline, or at a later second signal.
 */
export async function runService(parts: Parts, announce: (app: Announced, config: Config) => string): Promise<void> {
  setFlagsFromString(ALL_BEGIN_YOUNG);
  try {
    const refusal = nodeRefusal(process.versions.node);
    if (refusal) throw new ConfigError(refusal);
    const env = readEnvironment();
    const config = loadConfig(env);
    if (parts.api === false && !config.databaseUrl) {
      throw new ConfigError('DATABASE_URL must be set: a worker shares its database with the API');
    }
    warnOfSettings(config, env);
    const service = await start(config, parts);
    await collectGarbage();
    process.stdout.write(`${announce(service, config)}\n`);
    const systemd = systemdOf(env, service.log);
    systemd.ready();
    stopOnSignal(service, systemd.stopping);
  } catch (error) {
    process.stderr.write(`malote: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Frees the memory that only the start needed: three tenths of an API's memory. Otherwise V8 would keep it until the
 * rest is full.
 */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** Logs only the names of unknown settings, because a value may be a secret. */
function warnOfSettings({ logLevel }: Config, env: NodeJS.ProcessEnv): void {
  const settings = unknownSettings(env, [...settingNames, ...cliSettingNames]);
  const log = createLog({ level: logLevel });
  if (settings.length > 0) log.warn({ settings }, 'settings.unknown');
}

async function start(given: Config, parts: Parts): Promise<Service> {
  const log = createLog({ level: given.logLevel, service: given.otelServiceName });
  const database = await withDatabase(given, log);
  try {
    // Load this late, so that wrong arguments and settings are refused at once.
    const { createApp } = await import('./index.js');
    const app = await createApp(database.config, parts);
    return { ...app, stop: () => app.stop().finally(database.stop) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Time after `stopMs` until the process is killed. An embedded database needs it to write a checkpoint. */
const GRACE_MS = 4_000;
/** Within this time, several signals count as one: npm and make pass a signal on to a process that already got it. */
const SAME_SIGNAL_MS = 1_000;

function stopOnSignal({ log, stop, stopMs }: Service, beforeStop: () => void): void {
  let signalledAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const isFirst = signalledAt === undefined;
    signalledAt ??= performance.now();
    if (performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1);
    if (!isFirst) return;
    log.info({ signal }, 'service.stopping');
    setTimeout(() => {
      log.error('service.stop_timed_out');
      process.exit(1);
    }, stopMs + GRACE_MS).unref();
    beforeStop();
    void stop().then(() => log.info('service.stopped'));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Notifies systemd if NOTIFY_SOCKET is set. It calls systemd-notify, because Node has no such datagram sockets. */
function systemdOf({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv, log: Logger) {
  let watchdog: NodeJS.Timeout | undefined;
  let failed = false;
  const tell = (state: string): void => {
    if (!NOTIFY_SOCKET) return;
    execFile('systemd-notify', [state], (err) => {
      if (err && !failed) log.warn({ err }, 'systemd.notify_failed');
      failed = err !== null;
    });
  };
  return {
    /**
     * Reports that the service is ready. If the unit has `WatchdogSec`, it then reports regularly that the event loop
     * runs.
     */
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

// PostgreSQL's own default, and the number of connections besides the pool: for ended tokens, readiness, migrations and
// operators' tools.
const MAX_CONNECTIONS = 100;
const OTHER_CONNECTIONS = 22;

/** Starts the embedded database, unless DATABASE_URL names another. Its connection limit fits the pool. */
export async function withDatabase(config: Config, log: Logger) {
  if (config.databaseUrl) return { config, stop: async () => undefined };
  const { startEmbedded } = await import('../embedded/embedded.js');
  const connections = Math.max(MAX_CONNECTIONS, config.databasePoolSize + OTHER_CONNECTIONS);
  const settings = { max_connections: String(connections) };
  const { nearUrl, stop } = await startEmbedded({ dataDir: config.dataDir, settings, log });
  return { config: { ...config, databaseUrl: nearUrl }, stop };
}
