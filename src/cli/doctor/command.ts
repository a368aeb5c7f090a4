import { ConfigError } from '../../base/settings.js';
import { connect } from '../../db/connect.js';
import { migrationRefusal, migrationStatus } from '../../db/migrations/migrate.js';
import { command, option, type Session } from '../command.js';
import type { CliConfig } from '../config.js';
import { CommandError, reasonOf } from '../errors.js';
import { accessOf, log } from '../local/database.js';
import { carrierChecks } from './carrier.js';
import { databaseChecks, demandChecks } from './database.js';
import {
  type Checks,
  examine,
  type Finding,
  type KnownPatient,
  type Patient,
  runbook,
  type Status,
} from './finding.js';
import { queueChecks, settingsChecks } from './queue.js';
import { machineChecks, receiverCheck, surroundingChecks } from './surroundings.js';

const namesOf = (checks: object): string => Object.keys(checks).join(', ');

export const doctor = command({
  usage: 'doctor',
  summary: `Look at everything that the service needs, from the machine that it runs on and with its settings, and say what to do.

It changes nothing, and looks at everything whatever one check says. Each has a name that stays, and ends within seconds:
${namesOf(machineChecks)}, ${namesOf(surroundingChecks)}, receiver, database, schema, ${namesOf(databaseChecks)},
${namesOf(demandChecks)}, ${namesOf(queueChecks)}, ${namesOf(carrierChecks)}, ${namesOf(settingsChecks)}.
Exit codes of this command: 0 all is well, 1 something needs care, 2 something is broken.`,
  example: '--receiver https://hooks.example.com/malote',
  options: {
    receiver: option('--receiver <url>', "try the address of a customer's receiver too: name, network, certificate"),
  },
  run: async (session, { receiver }) => {
    const all = await findings(session, receiver);
    session.print.all(all, ['status as  ', 'check', 'seen', 'advice as what to do']);
    const count = (status: Status) => all.filter((each) => each.status === status).length;
    const [bad, warn] = [count('bad'), count('warn')];
    if (bad > 0) throw new CommandError(`${bad} of ${all.length} checks are bad, ${warn} more need care.`, 2);
    if (warn > 0) throw new CommandError(`${warn} of ${all.length} checks need care.`, 1);
  },
});

async function findings({ config }: Session, receiver: string | undefined): Promise<Finding[]> {
  const machine = examine(machineChecks, undefined);
  const settings = readOrFinding(config.service);
  if (!('check' in settings)) {
    const around = { ...surroundingChecks, ...(receiver !== undefined && receiverCheck(receiver)) };
    const known = { config: settings };
    return [...(await machine), ...(await examine(around, settings)), ...(await databaseFindings(settings, known))];
  }
  const place = readOrFinding(config.database);
  return [...(await machine), settings, ...('check' in place ? [] : await databaseFindings(place, undefined))];
}

function readOrFinding<T>(read: () => T): T | Finding {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Run this with the settings of the service; docs/settings.md lists them.';
    return { check: 'settings', status: 'bad', seen: error.message, advice };
  }
}

async function databaseFindings(
  place: ReturnType<CliConfig['database']>,
  known: Omit<KnownPatient, 'db'> | undefined,
): Promise<Finding[]> {
  const access = await accessOf(place).catch((error: unknown): Finding => {
    const message = error instanceof CommandError ? error.message : reasonOf(error);
    const { host } = new URL(place.databaseUrl ?? 'file:');
    const seen = /ECONNREFUSED/.test(message) && host ? `${message} Nothing listens at ${host}.` : message;
    const advice = `Start it, or correct DATABASE_URL or DATA_DIR (${runbook('database-unreached')}).`;
    return { check: 'database', status: 'bad', seen, advice };
  });
  if ('check' in access) return [access];
  const { pooled, stop } = access;
  const limits = { statementTimeoutMs: 5_000, connectionTimeoutMs: 5_000 };
  const db = connect({ ...access, ...limits, prepared: false, poolSize: 4, applicationName: 'malote doctor', log });
  try {
    const seen = pooled ? 'it answers behind a pooler' : 'it answers';
    const answers: Finding = { check: 'database', status: 'ok', seen };
    // If the database belongs to another release, no other check makes sense.
    const refusal = await migrationRefusal(db).catch(() => undefined);
    if (refusal !== undefined) return [answers, refused(refusal)];
    const server = await examine({ schema, ...databaseChecks }, { db });
    const demands = known ? await examine(demandChecks, { db, ...known }) : [];
    const queue = await examine({ ...queueChecks, ...carrierChecks }, { db });
    const settled = known ? await examine(settingsChecks, { db, ...known }) : [];
    return [answers, ...server, ...demands, ...queue, ...settled];
  } finally {
    await db.destroy();
    await stop();
  }
}

/** Makes a finding from a refusal of `malote migrate`, which has its remedy after a colon. */
function refused(refusal: string): Finding {
  const [, seen = refusal, what] = /^(.*): (run .*)$/.exec(refusal) ?? [];
  const advice = what ? `${what.replace(/^r/, 'R')}.` : 'Use a release that the database serves (docs/upgrading.md).';
  return { check: 'schema', status: 'bad', seen, advice };
}

const schema: Checks<Patient>[string] = async ({ db }) => {
  const migrations = await migrationStatus(db);
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
