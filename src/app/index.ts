import { setTimeout as sleep } from 'node:timers/promises';
import { useCell } from '../base/cell.js';
import type { Config } from '../base/config.js';
import type { Logger } from '../base/log.js';
import type { Db } from '../db/connect.js';
import * as accounts from './accounts.js';
import * as chores from './chores.js';
import { type Context, createContext, type Overrides } from './context.js';
import * as database from './database.js';
import * as interfaces from './interfaces.js';
import * as orders from './orders.js';
import * as probes from './probes.js';
import * as worker from './worker.js';

export type { Overrides } from './context.js';

export interface App extends probes.Probes, accounts.Accounts {
  db: Db;
  log: Logger;
  /** Undefined in a process without the API. */
  url: string | undefined;
  /** Ends the API and the worker, then the database, then the probes; resolves when all are gone. */
  stop(): Promise<void>;
  /** The longest time that a stop may take. */
  stopMs: number;
}

/** Builds and starts the service. When a part cannot start, those before it are stopped again. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  useCell(config.cell);
  const context = await createContext(config, overrides);
  try {
    return await start(context);
  } catch (error) {
    await context.running.stop();
    throw error;
  }
}

/** Starts each part with those that it needs. They end in the reverse order. */
async function start(context: Context): Promise<App> {
  const { config, overrides, log, readiness, running } = context;
  const internal = await probes.start(context);
  const stored = await database.start(context);
  const identified = await accounts.start(context, stored);
  const sending = await worker.start(context, stored);
  const parts = { ...context, ...stored, ...identified, ...orders.start(context, stored), worker: sending };
  const api = overrides.api === false ? undefined : await interfaces.start(parts);
  // After the interfaces, as building them blocks for longer than the worker waits for a connection.
  if (overrides.worker !== false) sending.start();
  await chores.start(parts, api !== undefined);
  running.add(() => Promise.all([api?.stop(), sending.stop()]));
  running.add(async () => {
    readiness.say({ reason: 'stopping', text: 'the process is stopping' });
    if (api) await sleep(1000 * config.shutdownDelaySeconds);
  });
  readiness.say(undefined);
  const stopMs = 1000 * (config.shutdownDelaySeconds + config.shutdownSeconds);
  return { ...internal, ...identified, db: stored.db, log, url: api?.url, stop: running.stop, stopMs };
}
