import { cpus, loadavg } from 'node:os';

/** What one way of creating orders came to in one round. */
export interface Run {
  perSecond: number;
  /** Microseconds of the server's CPU for each order; undefined where there is no such server. */
  cpu?: number;
  latencies: readonly number[];
}

/** What a figure was measured on. */
export const machine = (): string =>
  `Node ${process.version}, ${cpus().length} cores, load before ${loadavg()[0]?.toFixed(1)}`;

interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: quantile(values, 0), max: quantile(values, 1) };
}

/** The value that a share of the others is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

const range = ({ median, min, max }: Spread, digits = 0): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;

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
      range(spread(rounds.map((run) => run.perSecond))),
      cpu.length > 0 ? range(spread(cpu)) : '',
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
export function judge(name: string, figure: Spread, goal: number, kind: 'at least' | 'below'): boolean {
  const [typical, nearest] =
    kind === 'at least' ? [figure.median >= goal, figure.max >= goal] : [figure.median < goal, figure.min < goal];
  const verdict = typical ? 'met' : nearest ? 'missed by less than the noise' : 'MISSED';
  console.log(`${name}: ${range(figure, 2)}; goal ${kind} ${goal}: ${verdict}`);
  return nearest;
}

/** For what cannot be judged by a goal. */
export const mention = (name: string, figure: Spread, why: string): void =>
  console.log(`${name}: ${range(figure, 2)}; not judged: ${why}`);
