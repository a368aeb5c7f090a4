import { FileLink, Section } from '../design/pieces.js';
import { type Column, Table } from '../design/tables.js';
import { sheetTexts as texts } from '../texts.js';
import { useVisit } from '../visit.js';
import { type CellError, cellOf, type FaultyRow, faultyFile, type Sheet } from './sheet.js';

const MAX_LISTED = 100;

type ListedError = CellError & { line: number; value: string };

interface FaultyRowsProps {
  sheet: Pick<Sheet, 'headings'>;
  rows: readonly FaultyRow[];
  /** Rewrites a cell for the file of wrong rows. */
  shown?: (column: string, cell: string) => string;
}

/** Shows the wrong rows of a sheet: each error with its line, column and value. Also offers these rows as a file. */
export function FaultyRows({ sheet, rows, shown }: FaultyRowsProps) {
  const { say } = useVisit();
  const listed = rows.flatMap(({ errors, ...row }) =>
    errors.map((error): ListedError => ({ ...error, line: row.line, value: cellOf(sheet, row, error.column) })),
  );
  return (
    <Section title={texts.faulty}>
      <p>
        {say(texts.correct)}{' '}
        <FileLink name="corrigir.csv" content={faultyFile(sheet, rows, shown)} text={texts.download} isButton />
      </p>
      <Table caption={texts.faulty} columns={columns} rows={listed.slice(0, MAX_LISTED)} />
    </Section>
  );
}

const columns: readonly Column<ListedError>[] = [
  [texts.line, ({ line }) => line, 'number'],
  [texts.column, ({ column }) => column],
  [texts.wrong, ({ text }) => text],
  [texts.value, ({ value }) => value],
];
