/**
 * Tries what the service must survive: npx tsx lab/faults/run.ts [name]… [--seed n] [--build directory]. Prints a table
 * "fault, promise, figure, verdict". Ends with 1 if a promise was broken. docs/faults.md lists the names.
 */
import { parseArgs } from 'node:util';
import { createDatabase, type Origin } from '../../test/support/database.js';
import { createTemplate, startPostgres, type TemporaryPostgres } from '../../test/support/postgres.js';
import { compiledIn } from '../../test/support/processes/child.js';
import { openStage } from '../../test/support/processes/stage.js';
import { randomFrom } from '../../test/support/random.js';
import { faults } from './all.js';
import { chosen, type FaultName, faultNames } from './names.js';
import { conclude, type Row, tried } from './report.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, build: { type: 'string', default: 'dist' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = chosen(faultNames, positionals);

async function tryFault(name: FaultName, postgres: TemporaryPostgres, origin: Origin): Promise<Row> {
  return tried(name, faults[name], async () => {
    const database = await createDatabase(origin, { statementTimeoutMs: 120_000, lockTimeoutMs: 30_000 });
    const stage = await openStage({ db: database.db, databaseUrl: database.url, build: compiledIn(values.build) });
    const close = async () => {
      await stage.close();
      await database.drop();
    };
    return faults[name].run({ stage, seed, random: randomFrom(seed), postgres }).finally(close);
  });
}

console.log(`seed ${seed}\n`);
// The server logs nothing, because faults stop and start it.
const postgres = await startPostgres({ settings: { max_connections: '300' }, level: 'silent' });
const rows: Row[] = [];
try {
  const origin = await createTemplate(postgres.url);
  for (const name of names) rows.push(await tryFault(name, postgres, origin));
} finally {
  await postgres.stop();
}
conclude(rows, seed);
