/**
 * Tries what the service must survive: npx tsx scripts/faults/run.ts [number]… [--seed n] [--build directory]
 * Prints a table "fault, promise, figure, verdict"; ends with 1 when a promise was broken.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { compiledIn } from '../../test/support/processes/child.js';
import { openStage } from '../../test/support/processes/stage.js';
import { randomFrom } from '../../test/support/random.js';
import { faults } from './all.js';
import type { Fault, Finding } from './fault.js';
import { type Server, startServer } from './server.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, build: { type: 'string', default: 'dist' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const asked = faults.filter(({ number }) => positionals.length === 0 || positionals.includes(String(number)));

interface Row {
  fault: Fault;
  finding: Finding;
  seconds: number;
}

async function tryFault(server: Server, fault: Fault): Promise<Row> {
  const started = performance.now();
  const database = await server.newDatabase();
  const stage = await openStage({ db: database.db, databaseUrl: database.url, build: compiledIn(values.build) });
  const finding = await fault
    .run({ stage, seed: seed + fault.number, random: randomFrom(seed + fault.number), server })
    .catch((error: unknown): Finding => {
      return {
        figures: 'it did not come to an end',
        breaches: [error instanceof Error ? error.message : String(error)],
      };
    });
  await stage.close();
  await database.drop();
  return { fault, finding, seconds: (performance.now() - started) / 1000 };
}

const verdictOf = ({ breaches }: Finding): string => (breaches.length === 0 ? 'kept' : 'BROKEN');

function table(rows: readonly Row[]): string {
  const drawn = new Table({
    head: ['fault', 'promise', 'figure', 'verdict'],
    colWidths: [34, 34, 62, 10],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { fault, finding } of rows) {
    const figure = [finding.figures, ...finding.breaches].join('\n');
    drawn.push([`${fault.number} ${fault.name}`, fault.promise, figure, verdictOf(finding)]);
  }
  return drawn.toString();
}

console.log(`seed ${seed}\n`);
const server = await startServer();
const rows: Row[] = [];
try {
  for (const fault of asked) {
    const row = await tryFault(server, fault);
    console.log(`${fault.number} ${fault.name}: ${verdictOf(row.finding)} (${row.seconds.toFixed(0)} s)`);
    rows.push(row);
  }
} finally {
  await server.stop();
}
const broken = rows.filter(({ finding }) => finding.breaches.length > 0).length;
console.log(`\n${table(rows)}`);
console.log(`${rows.length} faults, ${broken} promises broken, seed ${seed}`);
// What a fault left open as it failed does not keep the run from its end.
process.exit(broken > 0 ? 1 : 0);
