import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { type Style, styled, type Terminal } from './terminal.js';
import { visible, visibleJson, visibleLines } from './visible.js';

/** Heading → the row's field that stands under it, or a function of the row. */
export type Columns<Row> = Readonly<Record<string, (keyof Row & string) | ((row: Row) => unknown)>>;

export interface ListAnswer<Row> {
  data: readonly Row[];
  pagination: { page: number; total_pages: number; total_items: number };
}

/** Results go to standard output, as tables for people or as the service's JSON for scripts; everything else to standard error. */
export interface Printer {
  list<Row>(answer: ListAnswer<Row>, columns: Columns<Row>): void;
  /** A list that is there whole. */
  all<Row>(rows: readonly Row[], columns: Columns<Row>): void;
  /** `shown` is what people see of it. */
  record(answer: object, shown?: object): void;
  /** Further rows for people; scripts have them in the record. */
  rows<Row>(rows: readonly Row[], columns: Columns<Row>): void;
  /** One of many as they happen: a line for people, the record on one line for scripts. */
  event(record: object, line: string): void;
  /** A sentence for people; scripts have the exit code. */
  say(sentence: string): void;
  /** How far long work is, on a terminal; nothing elsewhere. A bar where the whole is known, else what was done so far. */
  progress(whole?: number): Progress;
}

interface Progress {
  /** `what` says the part done in words. */
  at(part: number, what: string): void;
  /** Leaves no trace. */
  end(): void;
}

export function createPrinter({ stdout, stderr }: Terminal, json: boolean): Printer {
  const raw = (value: object) => void stdout.write(`${visibleJson(value, 2)}\n`);
  const texts = tables(stdout);
  const list: Printer['list'] = (answer, columns) =>
    json ? raw(answer) : void stdout.write(texts.list(answer, columns));
  return {
    list,
    all: (data, columns) => list({ data, pagination: { page: 1, total_pages: 1, total_items: data.length } }, columns),
    record: (answer, shown = answer) => (json ? raw(answer) : void stdout.write(texts.record(shown))),
    rows: (rows, columns) => void (json || rows.length === 0 || stdout.write(`\n${texts.grid(rows, columns)}\n`)),
    event: (record, line) => void stdout.write(`${json ? visibleJson(record) : visible(line)}\n`),
    say: (sentence) => void (json || stderr.write(`${visibleLines(sentence)}\n`)),
    progress: (whole) => (stderr.isTTY && !json ? bar(stderr, whole) : { at: () => undefined, end: () => undefined }),
  };
}

function bar(stream: Terminal['stderr'], whole?: number): Progress {
  const format = whole === undefined ? '{what}' : '{bar} {percentage}%  {what}, {eta_formatted} left';
  const progress = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  progress.start(whole ?? 0, 0, { what: '' });
  return { at: (part, what) => progress.update(part, { what: visible(what) }), end: () => progress.stop() };
}

/** Words that say how well something is, in the colours of a traffic light. */
const wordStyles = new Map<string, Style>([
  ...['ok', 'active', 'delivered', 'acknowledged', 'completed', 'recorded', 'passed'].map(
    (word) => [word, 'green'] as const,
  ),
  ...['warn', 'warning', 'waiting', 'no_answer', 'not_sent'].map((word) => [word, 'yellow'] as const),
  ...['bad', 'failed', 'disabled', 'dead_letter', 'refused'].map((word) => [word, 'red'] as const),
]);

/** What people read on a stream. */
function tables(stream: Terminal['stdout']) {
  const shown = (value: unknown): string => {
    const text = cell(value);
    const style = wordStyles.get(text);
    return style === undefined ? text : styled(stream, style, text);
  };
  const grid = <Row>(rows: readonly Row[], columns: Columns<Row>): string => {
    const cells = rows.map((row) =>
      Object.values(columns).map((of) => shown(typeof of === 'function' ? of(row) : row[of])),
    );
    return table(
      cells,
      Object.keys(columns).map((heading) => styled(stream, 'bold', heading.toUpperCase())),
    );
  };
  const list = <Row>({ data, pagination }: ListAnswer<Row>, columns: Columns<Row>): string => {
    const { page, total_pages: pages, total_items: total } = pagination;
    const footer = pages > 1 ? `page ${page} of ${pages}, ${total} in all\n` : '';
    if (data.length === 0) return total === 0 ? 'none\n' : `nothing on page ${page}\n${footer}`;
    return `${grid(data, columns)}\n${footer}`;
  };
  const record = (answer: object): string =>
    `${table(flat(answer).map(([field, value]) => [styled(stream, 'bold', visible(field)), shown(value)]))}\n`;
  return { grid, list, record };
}

/** Nested fields under their dotted path, as the service names them in its errors. */
function flat(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const path = `${prefix}${name}`;
    return typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0
      ? flat(inner, `${path}.`)
      : [[path, inner]];
  });
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '–';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return visible(text);
}

const noBorder = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    [side, ''],
    [`${side}-mid`, ''],
    [`${side}-left`, ''],
    [`${side}-right`, ''],
  ]),
);

function table(rows: string[][], head: string[] = []): string {
  const grid = new Table({
    head,
    chars: { ...noBorder, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  grid.push(...rows);
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
