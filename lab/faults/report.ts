import Table from 'cli-table3';
import type { Finding } from '../../test/support/processes/judgement.js';

/** The result of the trial of one fault. */
export interface Row {
  name: string;
  what: string;
  promise: string;
  finding: Finding;
  seconds: number;
}

/** A fault that this machine cannot try. The message names the missing part. */
export class NotTriedError extends Error {
  override name = 'NotTriedError';
}

const NOT_TRIED = 'not tried: ';

function verdictOf({ breaches, figures }: Finding): string {
  if (breaches.length > 0) return 'BROKEN';
  return figures.startsWith(NOT_TRIED) ? 'not tried' : 'kept';
}

/** Tries a fault and prints a line. A trial that throws is a breach, unless the machine cannot try it. */
export async function tried(
  name: string,
  { what, promise }: { what: string; promise: string },
  run: () => Promise<Finding>,
): Promise<Row> {
  const started = performance.now();
  const finding = await run().catch((error: unknown): Finding => {
    if (error instanceof NotTriedError) return { figures: NOT_TRIED + error.message, breaches: [] };
    const breach = error instanceof Error ? error.message : String(error);
    return { figures: 'it did not come to an end', breaches: [breach] };
  });
  const seconds = (performance.now() - started) / 1000;
  const reasons = verdictOf(finding) === 'not tried' ? [finding.figures] : finding.breaches;
  console.log([`${name}: ${verdictOf(finding)} (${seconds.toFixed(0)} s)`, ...reasons].join('\n  '));
  return { name, what, promise, finding, seconds };
}

function table(rows: readonly Row[]): string {
  const drawn = new Table({
    head: ['fault', 'promise', 'figure', 'verdict'],
    colWidths: [34, 34, 62, 10],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { name, what, promise, finding } of rows) {
    const figure = [finding.figures, ...finding.breaches].join('\n');
    drawn.push([`${name}\n${what}`, promise, figure, verdictOf(finding)]);
  }
  return drawn.toString();
}

/** Prints the table. Ends the process with 1 if a promise was broken. */
export function conclude(rows: readonly Row[], seed: number): never {
  const broken = rows.filter(({ finding }) => finding.breaches.length > 0).length;
  console.log(`\n${table(rows)}`);
  console.log(`${rows.length} faults, ${broken} promises broken, seed ${seed}`);
  // A failed trial may have left handles open, so the process is ended.
  process.exit(broken > 0 ? 1 : 0);
}
