/**
 * Measures the figures of today among many orders, on a new embedded PostgreSQL: npx tsx lab/bench/today.ts [--orders
 * 1000000] [--open 15000] [--runs 70]. `--open` packages are under way, and two thirds of that number have ended since
 * yesterday. Exits with 1 if a goal is missed.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { keepDays } from '../../src/orders/days/keep-days.js';
import { readToday } from '../../src/orders/days/today.js';
import { judge, mention, spread } from '../figures.js';
import { measure } from './lists/measure.js';
import { type Load, openStage, timed } from './lists/stage.js';
import { seeding } from './years/seed.js';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    open: { type: 'string', default: '15000' },
    runs: { type: 'string', default: '70' },
  },
});
const [orders, open, runs] = [values.orders, values.open, values.runs].map(Number) as [number, number, number];
const goals = { databaseMs: 30, cpuMs: 50 };

const today = sql`(now() at time zone 'America/Sao_Paulo')::date`;

/** Writes the rows that triggers would write, for a thousand accounts and sixty bases. */
async function countPackages(db: Db): Promise<void> {
  const ended = Math.round((open * 2) / 3);
  await sql`truncate counted_packages`.execute(db);
  const columns = sql`
    loggi_key, account_id, promised_date, status_code, status_since, city, state, missed_on, missed_why, has_missed,
    changed_on, status_code_before, city_before, state_before`;
  await sql`
    with newest as (
      select loggi_key, account_id, row_number() over (order by loggi_key desc) as i from packages
      order by loggi_key desc limit ${open + ended}
    )
    insert into counted_packages (${columns})
    select loggi_key, account_id, ${today} + (i % 9)::integer - 2, case
        when i > ${open} then case when i % 20 = 0 then 2 else 5 end
        else (array[1, 1, 3, 17, 17, 17, 11, 11, 18, 6])[1 + i % 10] end,
      now() - (i % 40) * interval '1 hour', 'Cidade ' || i % 60, 'SP',
      case when i % 11 = 0 then ${today} - (i % 2)::integer end, case when i % 11 = 0 then 'absent' end, i % 11 = 0,
      ${today} - (i % 3)::integer, 17, 'Cidade ' || i % 60, 'SP'
    from newest`.execute(db);
  await sql`
    insert into day_results select ${today} - i, ${ended}, ${ended} - 50, ${ended} - 90, ${ended} - 120
    from generate_series(1, 60) i`.execute(db);
  await keepDays(db);
  await sql`vacuum analyze counted_packages, day_end_counts, day_results`.execute(db);
}

const load: Load = async (db, url) => {
  await seeding({ orders, months: 12, movements: 1 })(db, url);
  await timed('rows of the packages that are counted', () => countPackages(db));
};

const stage = await openStage();
let missed = 0;
try {
  const db = await stage.database('today', load);
  const before = process.cpuUsage();
  const cost = (await measure([{ name: 'today', db, run: readToday }], runs)).get('today');
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000 / runs;
  mention(`today: ms with ${open} open packages among ${orders} orders`, spread([cost?.median ?? Number.NaN]));
  if (!judge('today: ms of the database', spread([cost?.server ?? Number.NaN]), goals.databaseMs, 'below')) missed += 1;
  if (!judge('today: ms of CPU in the process', spread([cpuMs]), goals.cpuMs, 'below')) missed += 1;
} finally {
  await stage.close();
}
process.exitCode = missed > 0 ? 1 : 0;
