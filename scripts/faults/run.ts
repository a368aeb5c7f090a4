/**
 * Tries what the service must survive: npm run faults -- [name]… [--seed n] [--build directory]
 * Prints a table "fault, promise, figure, verdict"; ends with 1 when a promise was broken. docs/faults.md has the names.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { createDatabase, type Origin } from '../../test/support/database.js';
import { createTemplate, startPostgres, type TemporaryPostgres } from '../../test/support/postgres.js';
import { compiledIn } from '../../test/support/processes/child.js';
import type { Finding } from '../../test/support/processes/judgement.js';
import { openStage } from '../../test/support/processes/stage.js';
import { randomFrom } from '../../test/support/random.js';
import { faults } from './all.js';
import { chosen, type FaultName } from './names.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, build: { type: 'string', default: 'dist' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = chosen(positionals);

interface Row {
  name: FaultName;
  finding: Finding;
  seconds: number;
}

async function tryFault(name: FaultName, postgres: TemporaryPostgres, origin: Origin): Promise<Row> {
  const started = performance.now();
  const database = await createDatabase(origin, { statementTimeoutMs: 120_000, lockTimeoutMs: 30_000 });
  const stage = await openStage({ db: database.db, databaseUrl: database.url, build: compiledIn(values.build) });
  const finding = await faults[name]
    .run({ stage, seed, random: randomFrom(seed), postgres })
    .catch((error: unknown): Finding => {
      return {
        figures: 'it did not come to an end',
        breaches: [error instanceof Error ? error.message : String(error)],
      };
    });
  await stage.close();
  await database.drop();
  return { name, finding, seconds: (performance.now() - started) / 1000 };
}

const verdictOf = ({ breaches }: Finding): string => (breaches.length === 0 ? 'kept' : 'BROKEN');

function table(rows: readonly Row[]): string {
  const drawn = new Table({
    head: ['fault', 'promise', 'figure', 'verdict'],
    colWidths: [34, 34, 62, 10],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { name, finding } of rows) {
    const { what, promise } = faults[name];
    const figure = [finding.figures, ...finding.breaches].join('\n');
    drawn.push([`${name}\n${what}`, promise, figure, verdictOf(finding)]);
  }
  return drawn.toString();
}

console.log(`seed ${seed}\n`);
// That the server ends, and is started again, is among what is tried: it says nothing of it.
const postgres = await startPostgres({ settings: { max_connections: '300' }, level: 'silent' });
const rows: Row[] = [];
try {
  const origin = await createTemplate(postgres.url);
  for (const name of names) {
    const row = await tryFault(name, postgres, origin);
    console.log(`${name}: ${verdictOf(row.finding)} (${row.seconds.toFixed(0)} s)`);
    rows.push(row);
  }
} finally {
  await postgres.stop();
}
const broken = rows.filter(({ finding }) => finding.breaches.length > 0).length;
console.log(`\n${table(rows)}`);
console.log(`${rows.length} faults, ${broken} promises broken, seed ${seed}`);
// What a fault left open as it failed does not keep the run from its end.
process.exit(broken > 0 ? 1 : 0);
