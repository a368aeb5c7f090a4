import { appendFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

/** Figures for one way of creating orders in one round. */
export interface Run {
  perSecond: number;
  /** The server's CPU per order in microseconds. Undefined if there is no server. */
  cpu?: number;
  latencies: readonly number[];
}

/** The machine that produced a figure. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} cores, load before ${loadavg()[0]?.toFixed(1)}`;

interface Spread {
  median: number;
  min: number;
  max: number;
}

/** A figure in the file of `BENCH_FIGURES`, one line of JSON each. */
export interface Figure extends Spread {
  title: string;
  /** The goal, and true if it was met. Absent if there is no goal. */
  goal?: string;
  verdict?: string;
}

/** Prints a figure. If all benches run together, also records it for their table. */
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

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

/** The median with three significant digits, or with a given number of decimals. */
export const range = (
  { median, min, max }: Spread,
  digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(median) || 1))),
): string =>
  min === max ? median.toFixed(digits) : `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;

const columns = (cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(32) : cell.padStart(20))).join('');

/** The lines of a table, one for each name: the medians of the rounds, with the lowest and highest in brackets. */
export function table(runs: Readonly<Record<string, readonly Run[]>>): string {
  const head = columns(['', 'orders/s', 'CPU µs/order', 'of a core', 'p50 ms', 'p99 ms']);
  const lines = Object.entries(runs).map(([name, rounds]) => {
    const latencies = rounds.flatMap((run) => run.latencies);
    const cpu = rounds.flatMap((run) => run.cpu ?? []);
    // If the CPU is far below one core, the server waited for the database or for other work of the machine.
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

/** The ratios of two ways, round by round. */
export const ratios = (a: readonly number[], b: readonly number[]): Spread =>
  spread(a.map((value, round) => value / (b[round] ?? Number.NaN)));

/** Checks a goal. It is missed only if even the best round missed it, because the rest is noise. */
export function judge(title: string, figure: Spread, goal: number, kind: 'at least' | 'below'): boolean {
  const [typical, nearest] =
    kind === 'at least' ? [figure.median >= goal, figure.max >= goal] : [figure.median < goal, figure.min < goal];
  const verdict = typical ? 'met' : nearest ? 'missed by less than the noise' : 'MISSED';
  note({ title, ...figure, goal: `${kind} ${goal}`, verdict });
  return nearest;
}

/** Prints figures without a goal, and the reason if there is one. */
export const mention = (title: string, figure: Spread, why?: string): void =>
  note({ title, ...figure }, why === undefined ? '' : `; not judged: ${why}`);
