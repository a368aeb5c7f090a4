import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KeyRing } from '../../../src/base/secrets/keys.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { createAuthority, type ReceiverOptions } from '../receiver.js';
import { serviceSettings } from '../service.js';
import { type CheckingReceiver, startCheckingReceiver } from './checking-receiver.js';
import { type Build, type Child, type ChildOptions, type Program, startChild } from './child.js';

/** A database of the run's own, receivers, and the processes of the service that a trial wants. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

interface StartOptions extends ChildOptions {
  /** Another build than the stage's. */
  build?: Build;
}

type StageOptions = { db: Db; databaseUrl: string; build: Build };

/** On an empty database, which is migrated first; the stage's own connections to it end with the stage. */
export async function openStageOn(databaseUrl: string, build: Build): Promise<Stage> {
  const log = createLog({ level: 'error' });
  await migrate(databaseUrl, log);
  const limits = { poolSize: 2, connectionTimeoutMs: 20_000 };
  const db = connect({ url: databaseUrl, applicationName: 'malote trial', log, ...limits });
  const stage = await openStage({ db, databaseUrl, build });
  return { ...stage, close: () => stage.close().finally(() => db.destroy()) };
}

/** On a migrated database; its opener drops it. */
export async function openStage({ db, databaseUrl, build }: StageOptions) {
  const directory = await mkdtemp(join(tmpdir(), 'malote-faults-'));
  const authority = await createAuthority();
  const caPath = join(directory, 'authority.pem');
  await writeFile(caPath, authority.cert);
  const secret = randomBytes(32);
  const keys = `faults:${secret.toString('base64url')}`;
  const children: Child[] = [];
  const receivers: CheckingReceiver[] = [];
  const common = {
    ...serviceSettings(databaseUrl, directory),
    JWT_KEYS: keys,
    API_KEY_SECRETS: keys,
    ENCRYPTION_KEYS: keys,
    CODE_KEYS: keys,
    RATE_LIMIT_PUBLIC_PER_HOUR: '0',
    RATE_LIMIT_ACCOUNT_PER_HOUR: '0',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_EXTRA_CA: caPath,
    LOG_LEVEL: 'warn',
  };
  return {
    db,
    databaseUrl,
    ring: [{ id: 'faults', secret }] satisfies KeyRing,
    authority,
    /** Every receiver listens on a port of its own. */
    openReceiver: async (place?: Pick<ReceiverOptions, 'names' | 'host'>) => {
      const receiver = await startCheckingReceiver(authority, place);
      receivers.push(receiver);
      return receiver;
    },
    /** Starts a process; `ports` are those that it may send to, of this machine. */
    start: async (
      program: Program,
      ports: readonly number[],
      env: NodeJS.ProcessEnv = {},
      { build: from = build, ...options }: StartOptions = {},
    ) => {
      const settings = { ...common, WEBHOOK_PORTS: ports.join(), ...env };
      const child = await startChild(from(program), settings, options);
      children.push(child);
      return child;
    },
    /** Runs a program to its end; resolves to its output. */
    complete: async (program: Program, env: NodeJS.ProcessEnv = {}) => {
      const options = { env: { PATH: process.env['PATH'], ...common, ...env } };
      return (await promisify(execFile)(process.execPath, build(program), options)).stdout;
    },
    /** Ends all that was started. */
    close: async () => {
      await Promise.all(children.map((child) => child.signal()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
