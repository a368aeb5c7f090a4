import type { Config } from '../../../base/config.js';
import { createLog } from '../../../base/log.js';
import { ConfigError } from '../../../base/settings.js';
import { connect } from '../../../db/connect.js';
import { migrationStatus } from '../../../db/migrate.js';
import { command, option } from '../command.js';
import { accessOf } from '../commands/local.js';
import type { CliConfig } from '../config.js';
import { CommandError, reasonOf } from '../errors.js';
import { databaseChecks } from './database.js';
import { type Checks, examine, type Finding, type Status } from './finding.js';
import { queueChecks } from './queue.js';
import { receiverCheck, surroundingChecks } from './surroundings.js';

const log = createLog({ level: 'silent' });

interface DoctorOptions {
  receiver?: string;
}

export const doctor = command<DoctorOptions>({
  usage: 'doctor',
  summary: `Look at everything that the service needs, from the machine that it runs on and with its settings, and say what to do.

It changes nothing. Each check has a name that stays, and ends within seconds: ${namesOf(surroundingChecks)}, receiver,
database, schema, ${namesOf(databaseChecks)}, ${namesOf(queueChecks)}.
Exit codes of this command: 0 all is well, 1 something needs care, 2 something is broken.`,
  example: 'doctor --receiver https://hooks.example.com/malote',
  options: [option('--receiver <url>', "try the address of a customer's receiver too: name, network, certificate")],
  run: async ({ config, print }, { receiver }) => {
    const data = await findings(config, receiver);
    const pagination = { page: 1, total_pages: 1, total_items: data.length };
    print.list(
      { data, pagination },
      {
        ' ': ({ status }) => status,
        check: ({ check }) => check,
        seen: ({ seen }) => seen,
        'what to do': ({ advice }) => advice,
      },
    );
    const count = (status: Status) => data.filter((each) => each.status === status).length;
    const [bad, warn] = [count('bad'), count('warn')];
    if (bad > 0) throw new CommandError(`${bad} of ${data.length} checks are bad, ${warn} more need care.`, 2);
    if (warn > 0) throw new CommandError(`${warn} of ${data.length} checks need care.`, 1);
  },
});

function namesOf(checks: object): string {
  return Object.keys(checks).join(', ');
}

async function findings(config: CliConfig, receiver: string | undefined): Promise<Finding[]> {
  const settings = settingsOf(config);
  if ('check' in settings) return [settings];
  const around = examine({ ...surroundingChecks, ...(receiver !== undefined && receiverCheck(receiver)) }, settings);
  return [...(await around), ...(await databaseFindings(settings))];
}

function settingsOf({ service }: CliConfig): Config | Finding {
  try {
    return service();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Run this with the settings of the service; docs/settings.md lists them.';
    return { check: 'settings', status: 'bad', seen: error.message, advice };
  }
}

async function databaseFindings(config: Config): Promise<Finding[]> {
  const access = await accessOf(config).catch((error: unknown): Finding => {
    const seen = error instanceof CommandError ? error.message : reasonOf(error);
    return { check: 'database', status: 'bad', seen, advice: 'Start it, or correct DATABASE_URL or DATA_DIR.' };
  });
  if ('check' in access) return [access];
  const { url, pooled, stop } = access;
  const limits = { statementTimeoutMs: 5_000, connectionTimeoutMs: 5_000 };
  const db = connect({ ...access, ...limits, prepared: false, poolSize: 4, applicationName: 'malote doctor', log });
  try {
    const reached = {
      check: 'database',
      status: 'ok',
      seen: pooled ? 'it answers behind a pooler' : 'it answers',
    } as const;
    const [schema, ...others] = await examine({ schema: () => schemaOf(url), ...databaseChecks }, { config, db });
    const isOurs = schema?.status === 'ok';
    const queue = isOurs ? await examine(queueChecks, { config, db }) : [];
    return [reached, ...(schema ? [schema] : []), ...others, ...queue];
  } finally {
    await db.destroy();
    await stop();
  }
}

const schemaOf: Checks<string>[string] = async (url) => {
  const migrations = await migrationStatus(url, log);
  const named = (state: string) => migrations.filter((each) => each.state === state).map(({ migration }) => migration);
  const [pending, underWay, others] = [named('pending'), named('under way'), named('of another release')];
  const seen = [
    `${named('applied').length} migrations applied`,
    ...(pending.length > 0 ? [`missing: ${pending.join(', ')}`] : []),
    ...(underWay.length > 0 ? [`under way: ${underWay.join(', ')}`] : []),
    ...(others.length > 0 ? [`of another release: ${others.join(', ')}`] : []),
  ];
  return {
    seen: seen.join('; '),
    bad: pending.length > 0 && 'Run "malote migrate".',
    warn:
      (underWay.length > 0 && 'Let it end, or run "malote migrate" again if nobody runs it.') ||
      (others.length > 0 && 'The database was migrated by another release: upgrade the processes of this one.'),
  };
};
