import { type RawBuilder, sql } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '../../base/clock.js';
import { keyRingsOf } from '../../base/secrets/keys.js';
import { opens } from '../../base/secrets/seal.js';
import type { Db } from '../../db/connect.js';
import { oneRow, scalar } from '../../db/one-row.js';
import { partitionEnds } from '../../db/partitions/partitions.js';
import type { Width } from '../../db/partitions/periods.js';
import { idempotencyKeys, webhookAttempts, webhookDeliveries } from '../../db/partitions/tables.js';
import { sealedRows } from '../../db/sealing/sealed-tables.js';
import { sealedTables } from '../../db/tables/sealed.js';
import { openSecrets, sampleSecrets } from '../../endpoints/secrets.js';
import { type Checks, duration, type KnownPatient, type Patient, runbook } from './finding.js';

/** Seconds of a partition. Its rows stay until all of them are old enough. */
const widths: Record<Width, number> = { day: DAY_SECONDS, week: 7 * DAY_SECONDS, month: 31 * DAY_SECONDS };

/** Checks the queue of webhooks and its partitions. */
export const queueChecks: Checks<Patient> = {
  lanes: async ({ db }) => {
    const { overdue, oldest, abandoned } = await oneRow(db, stuckLanes);
    const advice = `No worker takes them (${runbook('delivery-lag')}).`;
    return {
      seen: `${overdue} due and not claimed for over a minute, the oldest since ${duration(oldest)}; ${abandoned} held beyond their lease`,
      bad: overdue + abandoned > 0 && oldest > 300 && advice,
      warn: overdue + abandoned > 0 && advice,
    };
  },

  endpoints: async ({ db }) => {
    const { active, failing, since, disabled } = await oneRow(db, endpointStates);
    const { rows: latest } = await latestAttempts.execute(db);
    const slow = latest.filter(({ seconds }) => seconds > SLOW_SECONDS);
    const words = [
      `${active} active, ${failing} of them failing (the first since ${duration(since)})`,
      ...latest.filter(({ failure }) => failure).map(({ id, host, failure }) => `${id} (${host}): ${failure}`),
      ...slow.map(({ id, host, seconds }) => `${id} (${host}) is slow: ${seconds.toFixed(1)} s an attempt`),
      `${disabled} disabled as they failed or were gone`,
    ];
    return {
      seen: words.join('; '),
      warn:
        (failing > 0 &&
          `Tell the customer; when the receiver is well again, "malote endpoints send-now <endpoint>" (${runbook('endpoint-failing')}).`) ||
        (disabled > 0 && 'Their customers get nothing: ask them, then "malote endpoints enable <endpoint>".') ||
        (slow.length > 0 && `Their deliveries are late, those of others are not (${runbook('receivers-slow')}).`),
    };
  },

  'dead-letters': async ({ db }) => {
    const { count, seconds } = await oneRow(db, deadLetters);
    return {
      seen: count === 0 ? 'none' : `${count}, the oldest given up ${duration(seconds)} ago`,
      warn:
        count > 0 &&
        `"malote endpoints dead-letters <endpoint>" lists them, "malote endpoints replay <endpoint> --dead-letters" sends them again (${runbook('dead-letters')}).`,
    };
  },

  partitions: async ({ db }) => {
    const ahead = [...(await partitionEnds(db)).values()].map((end) => end.getTime());
    const now = await scalar(db, sql<Date>`now()`);
    const seconds = (Math.min(...ahead) - now.getTime()) / 1000;
    const advice = 'A running process makes them each hour: look into the log for "partitions.failed".';
    return {
      seen: `made for the next ${duration(Math.max(0, seconds))}`,
      bad: seconds < DAY_SECONDS && advice,
      warn: seconds < 7 * DAY_SECONDS && advice,
    };
  },
};

/** Checks sweeps and keys, as the settings of the service demand. */
export const settingsChecks: Checks<KnownPatient> = {
  sweeps: async ({ db, config }) => {
    const { keys, attempts, bodies, letters, accounts } = await oneRow(db, leftovers(config.eraseAfterDays));
    const { retentionAttemptsDays, retentionDeliveriesDays, retentionDeadLettersDays } = config;
    const isLate = (age: number, days: number, slack = DAY_SECONDS) =>
      days > 0 && age > days * DAY_SECONDS + slack + HOUR_SECONDS;
    const late = [
      ...(isLate(keys, 1, widths[idempotencyKeys.width]) ? ['idempotency keys'] : []),
      ...(isLate(attempts, retentionAttemptsDays, widths[webhookAttempts.width]) ? ['attempts'] : []),
      ...(isLate(bodies, retentionDeliveriesDays, widths[webhookDeliveries.width]) ? ['delivered bodies'] : []),
      ...(isLate(letters, retentionDeadLettersDays) ? ['dead letters'] : []),
      ...(accounts > DAY_SECONDS ? ['erasure of deleted accounts'] : []),
    ];
    return {
      seen: late.length === 0 ? 'expired rows are gone' : `behind by more than their pace: ${late.join(', ')}`,
      warn:
        late.length > 0 &&
        'Look into the log for "upkeep.sweep_failed", "webhook.upkeep_failed" or "erasure.failed"; an API and a worker must run.',
    };
  },

  keys: async ({ db, config }) => {
    const { encryptionKeys: ring } = await keyRingsOf(config);
    const damaged = (await sampleSecrets(db)).filter((endpoint) => !opens(() => openSecrets(ring, endpoint)));
    const { looked, missing } = await keysOfRows(db, new Set(ring.map(({ id }) => id)));
    const wrong = damaged.map(({ id }) => id).join(', ');
    return {
      seen: `${looked} sealed rows looked at, keys missing: ${missing.join(', ') || 'none'}${wrong && `; does not open: ${wrong}`}`,
      bad:
        (missing.length > 0 &&
          'Give these keys in ENCRYPTION_KEYS after the first, as the other processes have them, then run "malote keys reseal".') ||
        (wrong !== '' &&
          'A key has the right id and other bytes than the one that sealed: give this process the ENCRYPTION_KEYS that the others have. Without the key the endpoint must be registered anew.'),
    };
  },
};

const MAX_ROWS = 20_000;

/**
 * The ids of keys that sealed something and are missing from the ring. Of large tables only the first rows are read.
 */
async function keysOfRows(db: Db, ring: ReadonlySet<string>) {
  const missing = new Set<string>();
  let looked = 0;
  for (const table of sealedTables) {
    let ofTable = 0;
    for await (const rows of sealedRows(db, table)) {
      for (const id of rows.flatMap((row) => row.sealedBy)) if (id !== undefined && !ring.has(id)) missing.add(id);
      ofTable += rows.length;
      if (ofTable >= MAX_ROWS) break;
    }
    looked += ofTable;
  }
  return { looked, missing: [...missing].map((id) => `"${id}"`) };
}

const SLOW_SECONDS = 3;

/** The endpoints of the latest attempts: the last failure of a failing one, and the average time of attempts. */
const latestAttempts = sql<{ id: string; host: string; failure: string | null; seconds: number }>`
  select endpoint.id, substring(url from '^https?://([^/:]+)') as host, seconds,
    case when failing_since is not null then failure end as failure
  from (
    select endpoint_id, (avg(duration_ms) / 1000)::double precision as seconds,
      (array_agg(coalesce(error, 'status ' || status_code) order by id desc) filter (where outcome <> 'acknowledged'))[1] as failure
    from (select * from webhook_attempts order by id desc limit 1000) newest
    where attempted_at > now() - interval '1 minute' group by endpoint_id
  ) latest join webhook_endpoints endpoint on endpoint.id = endpoint_id
  where disabled_at is null and (failing_since is not null or seconds > ${sql.lit(SLOW_SECONDS)})
  order by failing_since, seconds desc limit 5`;

const stuckLanes = sql<{ overdue: number; oldest: number; abandoned: number }>`
  select count(*) filter (where state <> 'leased')::integer as overdue,
    coalesce(extract(epoch from now() - min(due_at)), 0)::double precision as oldest,
    count(*) filter (where state = 'leased')::integer as abandoned
  from webhook_lanes lane where state in ('ready', 'leased', 'waiting') and due_at < now() - interval '1 minute' and exists (
    select 1 from webhook_endpoints where id = lane.endpoint_id and disabled_at is null and deleted_at is null)`;

const endpointStates = sql<{ active: number; failing: number; since: number; disabled: number }>`
  select count(*) filter (where disabled_at is null)::integer as active,
    count(*) filter (where disabled_at is null and failing_since is not null)::integer as failing,
    coalesce(extract(epoch from now() - min(failing_since) filter (where disabled_at is null)), 0)::double precision as since,
    count(*) filter (where disabled_reason in ('gone', 'failing'))::integer as disabled
  from webhook_endpoints where deleted_at is null`;

const deadLetters = sql<{ count: number; seconds: number }>`
  select count(*)::integer as count, coalesce(extract(epoch from now() - min(dead_at)), 0)::double precision as seconds
  from webhook_deliveries where dead_at is not null and kind = 'tracking'`;

type Ages = Record<'keys' | 'attempts' | 'bodies' | 'letters' | 'accounts', number>;

/**
 * Ages in seconds of the oldest rows that upkeep should remove. For accounts, the age counts from when they were due.
 */
const leftovers = (eraseAfterDays: number) => sql<Ages>`
  select ${ageOf(sql`select min(created_at) from idempotency_keys`)} as keys,
    ${ageOf(sql`select attempted_at from webhook_attempts order by id limit 1`)} as attempts,
    ${ageOf(sql`
      select retain_from from webhook_deliveries delivery where (dead_at is null or kind = 'test')
        and not exists (select 1 from webhook_requests where webhook_id = delivery.webhook_id)
        and not exists (select 1 from webhook_lanes where id = delivery.lane_id and webhook_id = delivery.webhook_id)
      order by retain_from limit 1`)} as bodies,
    ${ageOf(sql`select min(dead_at) from webhook_deliveries where dead_at is not null and kind = 'tracking'`)} as letters,
    ${ageOf(sql`select min(deleted_at) from accounts where deleted_at is not null and erased_at is null and held_at is null`)}
      - ${eraseAfterDays}::double precision * ${DAY_SECONDS}::double precision as accounts`;

const ageOf = (oldest: RawBuilder<unknown>) =>
  sql`coalesce(extract(epoch from now() - (${oldest})), 0)::double precision`;
