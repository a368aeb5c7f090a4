import type { ComponentChildren } from 'preact';
import { Chip, factList, TextLink } from '../design/pieces.js';
import { type Column, TableSection } from '../design/tables.js';
import { statementTexts as texts, valueWords } from '../texts.js';
import { type RestSchemas, useVisit } from '../visit.js';
import { Money, MonthText, NumberText, Say, Time, Word } from '../written.js';

// Statements of an account, for shippers and operators.

type Summary = RestSchemas['StatementSummary'];
type Line = RestSchemas['StatementLine'];
type Sum = RestSchemas['StatementSum'];

/** The columns of a list of months. `at` is the address of the list; pages and files of months are below it. */
export const monthColumns = (at: string): readonly Column<Summary>[] => [
  [
    texts.month,
    ({ month }) => (
      <a href={`${at}/${month}`}>
        <MonthText of={month} />
      </a>
    ),
  ],
  [texts.state, (statement) => <StatementState of={statement} />],
  [texts.lines, ({ line_count: count }) => <NumberText of={count} />, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.asCsv, ({ month }) => <TextLink href={`${at}/${month}/csv`} text={texts.csv} />],
];

export const StatementState = ({ of: { state } }: { of: Pick<Summary, 'state'> }) => (
  <Chip
    stage={state === 'closed' ? 'completed' : 'processing'}
    text={useVisit().say(valueWords.statementStates[state] ?? texts.state)}
  />
);

/** A page of a list of months. */
interface MonthsPage {
  data: readonly Summary[];
  pagination: { total_pages: number };
}

/** Finds a month in a list of months. Undefined if the list does not have it. */
export async function findMonth(
  month: string,
  askPage: (query: { page: number; page_size: number }) => Promise<MonthsPage>,
): Promise<Summary | undefined> {
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await askPage({ page, page_size: 100 });
    const found = data.find((each) => each.month === month);
    if (found || page >= pagination.total_pages) return found;
  }
}

/** Maximum number of lines on a page. With more lines, only the file has them. */
export const MAX_SHOWN_LINES = 1_000;

interface StatementProps {
  statement: Summary;
  /** Undefined if there are too many lines. */
  lines: readonly Line[] | undefined;
  /** The payment methods of the account, by id. */
  methods: ReadonlyMap<number, string>;
  csv: string;
  orderAt: string;
  children?: ComponentChildren;
}

/** Shows a month: its sums, and its lines if there are few. */
export const StatementParts = ({ statement, lines, methods, csv, orderAt, children }: StatementProps) => [
  factList([
    [texts.state, <StatementState of={statement} />],
    [texts.closes, statement.closes_at && <Time at={statement.closes_at} />],
    [texts.closed, statement.closed_at && <Time at={statement.closed_at} />],
    [texts.lines, <NumberText of={statement.line_count} />],
    [texts.total, <Money amount={statement.total} />],
  ]),
  <TableSection caption={texts.sums} columns={sumColumns(methods)} rows={statement.sums} />,
  children,
  <p class="send screen">
    <TextLink href={csv} text={texts.asCsv} kind="button secondary" />
    <button type="button" class="secondary" data-print hidden>
      <Say text={texts.print} />
    </button>
  </p>,
  lines ? (
    <TableSection caption={texts.lines} columns={lineColumns(orderAt, methods)} rows={lines} />
  ) : (
    <p>
      <Say text={texts.tooMany} />
    </p>
  ),
];

const methodName = (methods: ReadonlyMap<number, string>, id: number): string => methods.get(id) ?? String(id);

const sumColumns = (methods: ReadonlyMap<number, string>): readonly Column<Sum>[] => [
  [texts.service, ({ service }) => <Word of={valueWords.services} value={service} />],
  [texts.payment, ({ payment_method_id: id }) => methodName(methods, id)],
  [texts.lines, ({ line_count: count }) => <NumberText of={count} />, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
];

const lineColumns = (orderAt: string, methods: ReadonlyMap<number, string>): readonly Column<Line>[] => [
  [texts.at, ({ at }) => <Time at={at} />],
  [texts.entry, ({ kind }) => <Word of={valueWords.statementKinds} value={kind} />],
  [texts.order, (line) => <a href={`${orderAt}/${line.order_id}`}>{line.external_id ?? line.order_id.slice(-12)}</a>],
  [texts.service, ({ service }) => <Word of={valueWords.services} value={service} />],
  [texts.payment, ({ payment_method_id: id }) => methodName(methods, id)],
  [texts.amount, ({ amount }) => <Money amount={amount} />, 'number'],
];
