import { appendFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

/** Figures of one way of creating orders in one round. */
export interface Run {
  perSecond: number;
  /** Microseconds of the server's CPU for each order; undefined where there is no such server. */
  cpu?: number;
  latencies: readonly number[];
}

/** The machine of a figure. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} cores, load before ${loadavg()[0]?.toFixed(1)}`;

interface Spread {
  median: number;
  min: number;
  max: number;
}

/** A figure as the file that `BENCH_FIGURES` names gets it, a line of JSON each. */
export interface Figure extends Spread {
  title: string;
  /** The goal, and whether it was reached; absent where there is nothing to judge by. */
  goal?: string;
  verdict?: string;
}

/** Prints a figure, and notes it for the table of all benches when they run together. */
function note(figure: Figure, because = ''): void {
  const { title, goal, verdict } = figure;
  const judged = goal === undefined ? '' : `; goal ${goal}: ${verdict}`;
  console.log(`${title}: ${range(figure)}${judged}${because}`);
  const file = process.env['BENCH_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

export function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: quantile(values, 0), max: quantile(values, 1) };
}

/** The value that a share of the others is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

/** Three significant digits of the median, unless another number of decimals is given. */
export const range = (
  { median, min, max }: Spread,
  digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(median) || 1))),
): string =>
  min === max ? median.toFixed(digits) : `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;

const columns = (cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(32) : cell.padStart(20))).join('');

/** A line of the table for each name: medians of the rounds, smallest and largest in brackets. */
export function table(runs: Readonly<Record<string, readonly Run[]>>): string {
  const head = columns(['', 'orders/s', 'CPU µs/order', 'of a core', 'p50 ms', 'p99 ms']);
  const lines = Object.entries(runs).map(([name, rounds]) => {
    const latencies = rounds.flatMap((run) => run.latencies);
    const cpu = rounds.flatMap((run) => run.cpu ?? []);
    // Much below all of a core: the server waited, for the database or for a machine that others use.
    const cores = rounds.flatMap(({ cpu, perSecond }) => (cpu === undefined ? [] : (cpu * perSecond) / 1_000_000));
    return columns([
      name,
      range(spread(rounds.map((run) => run.perSecond)), 0),
      cpu.length > 0 ? range(spread(cpu), 0) : '',
      cores.length > 0 ? range(spread(cores), 2) : '',
      ...[0.5, 0.99].map((share) => (latencies.length > 0 ? quantile(latencies, share).toFixed(1) : '')),
    ]);
  });
  return [head, ...lines].join('\n');
}

/** Of two ways, round by round. */
export const ratios = (a: readonly number[], b: readonly number[]): Spread =>
  spread(a.map((value, round) => value / (b[round] ?? Number.NaN)));

/** Says whether a goal is met. It is missed only when the round that came nearest missed it too: the rest is noise. */
export function judge(title: string, figure: Spread, goal: number, kind: 'at least' | 'below'): boolean {
  const [typical, nearest] =
    kind === 'at least' ? [figure.median >= goal, figure.max >= goal] : [figure.median < goal, figure.min < goal];
  const verdict = typical ? 'met' : nearest ? 'missed by less than the noise' : 'MISSED';
  note({ title, ...figure, goal: `${kind} ${goal}`, verdict });
  return nearest;
}

/** For figures without a goal, with the reason where there is one. */
export const mention = (title: string, figure: Spread, why?: string): void =>
  note({ title, ...figure }, why === undefined ? '' : `; not judged: ${why}`);
