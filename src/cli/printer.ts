import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { type Style, styled, type Terminal, visible, visibleJson, visibleLines } from './terminal.js';

type FieldOf<Row> = keyof Row & string;

/**
 * Columns of a table: a field under its own name, a field `as` a heading, or a heading with a function for the cell.
 */
export type Columns<Row> = readonly (
  | FieldOf<Row>
  | `${FieldOf<Row>} as ${string}`
  | readonly [heading: string, cell: (row: Row) => unknown]
)[];

export interface ListAnswer<Row> {
  data: readonly Row[];
  pagination: { page: number; total_pages: number; total_items: number };
}

export interface Printer {
  list<Row extends object>(answer: ListAnswer<Row>, columns: Columns<Row>): void;
  all<Row extends object>(data: readonly Row[], columns: Columns<Row>): void;
  /** Prints a record. People see only `shown`; scripts get the whole answer. */
  record(answer: object, shown?: object): void;
  /** Prints more rows for people. Scripts have them in the record. */
  rows<Row extends object>(rows: readonly Row[], columns: Columns<Row>): void;
  /** Prints one of many events: a line for people, the record on one line for scripts. */
  event(record: object, line: string): undefined;
  /** Prints a sentence for people. Scripts use the exit code. */
  say(sentence: string): undefined;
  /**
   * Shows the progress of long work, on a terminal only. Shows a bar if the whole is known, else the part that is done.
   */
  progress<T>(work: (at: ProgressAt) => Promise<T>, whole?: number): Promise<T>;
}

export type ProgressAt = (part: number, words: string) => void;

/** Prints results as tables for people, or as JSON for scripts. Everything else goes to standard error. */
export function createPrinter({ stdout, stderr }: Terminal, json: boolean): Printer {
  const raw = (value: object) => void stdout.write(`${visibleJson(value, 2)}\n`);
  const texts = tables(stdout);
  const list = <Row extends object>(answer: ListAnswer<Row>, columns: Columns<Row>): void =>
    json ? raw(answer) : void stdout.write(texts.list(answer, columns));
  return {
    list,
    all: <Row extends object>(data: readonly Row[], columns: Columns<Row>): void =>
      list({ data, pagination: { page: 1, total_pages: 1, total_items: data.length } }, columns),
    record: (answer: object, shown = answer): void => (json ? raw(answer) : void stdout.write(texts.record(shown))),
    rows: <Row extends object>(rows: readonly Row[], columns: Columns<Row>): void =>
      void (json || rows.length === 0 || stdout.write(`\n${texts.grid(rows, columns)}\n`)),
    event: (record: object, line: string) => void stdout.write(`${json ? visibleJson(record) : visible(line)}\n`),
    say: (sentence: string) => void (json || stderr.write(`${visibleLines(sentence)}\n`)),
    progress: <T>(work: (at: ProgressAt) => Promise<T>, whole?: number): Promise<T> =>
      stderr.isTTY && !json ? withBar(stderr, work, whole) : work(() => undefined),
  };
}

async function withBar<T>(stream: Terminal['stderr'], work: (at: ProgressAt) => Promise<T>, whole?: number) {
  const format = whole === undefined ? '{what}' : '{bar} {percentage}%  {what}, {eta_formatted} left';
  const progress = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  progress.start(whole ?? 0, 0, { what: '' });
  return work((part, what) => progress.update(part, { what: visible(what) })).finally(() => progress.stop());
}

/** Words that say how well something is, by the colours of a traffic light. */
const wordsByStyle: readonly [Style, readonly string[]][] = [
  ['green', ['ok', 'active', 'delivered', 'acknowledged', 'completed', 'recorded', 'passed']],
  ['yellow', ['warn', 'warning', 'waiting', 'no_answer', 'not_sent']],
  ['red', ['bad', 'failed', 'disabled', 'dead_letter', 'refused']],
];

function tables(stream: Terminal['stdout']) {
  const shown = (value: unknown): string => {
    const text = cell(value);
    const [style] = wordsByStyle.find(([, words]) => words.includes(text)) ?? [];
    return style === undefined ? text : styled(stream, style, text);
  };
  const grid = <Row extends object>(rows: readonly Row[], columns: Columns<Row>): string => {
    const pairs = columns.map((column) => (typeof column === 'string' ? fieldColumn(column) : column));
    const headings = pairs.map(([heading]) => styled(stream, 'bold', heading.toUpperCase()));
    const cells = rows.map((row) => pairs.map(([, cellOf]) => shown(cellOf(row))));
    return table(cells, headings);
  };
  const list = <Row extends object>({ data, pagination }: ListAnswer<Row>, columns: Columns<Row>): string => {
    const { page, total_pages: pages, total_items: total } = pagination;
    const footer = pages > 1 ? `page ${page} of ${pages}, ${total} in all\n` : '';
    if (data.length === 0) return total === 0 ? 'none\n' : `nothing on page ${page}\n${footer}`;
    return `${grid(data, columns)}\n${footer}`;
  };
  const record = (answer: object): string =>
    `${table(flat(answer).map(([field, value]) => [styled(stream, 'bold', visible(field)), shown(value)]))}\n`;
  return { grid, list, record };
}

function fieldColumn(text: string): [heading: string, cell: (row: object) => unknown] {
  const [field = '', heading = field.replaceAll('_', ' ')] = text.split(' as ', 2);
  return [heading, (row) => new Map<string, unknown>(Object.entries(row)).get(field)];
}

/** Flattens nested fields to dotted paths, as the service names them in errors. */
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
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const borders = ['top', 'bottom', 'left', 'right', 'mid'];
const noBorder = Object.fromEntries(
  borders.flatMap((side) => ['', '-mid', '-left', '-right'].map((part) => [`${side}${part}`, ''])),
);

function table(rows: string[][], head: string[] = []): string {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const grid = new Table({ head, chars: { ...noBorder, middle: '  ' }, style });
  grid.push(...rows);
  return grid.toString().replace(/ +$/gm, '');
}
