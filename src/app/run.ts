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
 * V8 makes objects like those that lived long among the old ones at once, and takes the elements of a page for such.
 * When they are dead they still keep younger ones alive, until all memory is searched: a page takes a third more CPU.
 */
const ALL_BEGIN_YOUNG = '--no-allocation-site-pretenuring';

/**
 * Runs the service until SIGTERM or SIGINT; prints what `announce` says. A start that fails prints one line. The
 * process is ended only when something holds it at the deadline, or at a later second signal.
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

/** Gives back what starting took, three tenths of an API's memory: V8 would keep it until load fills the rest. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** Logs names only: a value may be a secret. */
function warnOfSettings({ logLevel }: Config, env: NodeJS.ProcessEnv): void {
  const settings = unknownSettings(env, [...settingNames, ...cliSettingNames]);
  const log = createLog({ level: logLevel });
  if (settings.length > 0) log.warn({ settings }, 'settings.unknown');
}

async function start(given: Config, parts: Parts): Promise<Service> {
  const log = createLog({ level: given.logLevel, service: given.otelServiceName });
  const database = await withDatabase(given, log);
  try {
    // Loaded here, so that arguments and settings are refused at once.
    const { createApp } = await import('./index.js');
    const app = await createApp(database.config, parts);
    return { ...app, stop: () => app.stop().finally(database.stop) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Time beyond `stopMs` until the process is ended: an embedded database writes a checkpoint. */
const GRACE_MS = 4_000;
/** One signal comes several times when a group of processes gets it: npm and make pass it on besides. */
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

/** Tells systemd, where it listens, by its own program: Node has no datagram sockets of that kind. */
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
    /** If its unit has `WatchdogSec`, systemd then hears regularly that the event loop turns. */
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

// PostgreSQL's own default, and connections beside the pool: two that learn of ended tokens and of readiness,
// migrations, operators' tools.
const MAX_CONNECTIONS = 100;
const OTHER_CONNECTIONS = 22;

/** Starts the embedded database, with room for the pool, unless DATABASE_URL names another. */
export async function withDatabase(config: Config, log: Logger) {
  if (config.databaseUrl) return { config, stop: async () => undefined };
  const { startEmbedded } = await import('../embedded/embedded.js');
  const connections = Math.max(MAX_CONNECTIONS, config.databasePoolSize + OTHER_CONNECTIONS);
  const settings = { max_connections: String(connections) };
  const { nearUrl, stop } = await startEmbedded({ dataDir: config.dataDir, settings, log });
  return { config: { ...config, databaseUrl: nearUrl }, stop };
}
