import { parse } from 'csv-parse/sync';

// Small sheets that carriers keep in a spreadsheet, as CSV: the first line names the columns, in any order. An empty
// cell stands for the contract's default.

/** A file that is no such sheet; `line` counts from 1. */
export class SheetError extends Error {
  override readonly name = 'SheetError';
  constructor(
    readonly line: number,
    readonly column: string,
    problem: string,
  ) {
    super(`Line ${line}, ${column}: ${problem}`);
  }
}

export type Line<Column extends string> = Partial<Record<Column, string>>;

interface Sheet<Column extends string> {
  columns: readonly Column[];
  /** Lines beyond it are not read; one more than the service takes, so that it says so. */
  maxLines: number;
}

/** Reads lines with commas or semicolons, and the number of each. Throws SheetError. */
export function linesOfSheet<Column extends string>(
  bytes: Uint8Array,
  { columns, maxLines }: Sheet<Column>,
): { line: Line<Column>; number: number }[] {
  const [head = [], ...lines] = cellsOf(textOf(bytes), maxLines);
  const known = head.flatMap((name) => columns.find((column) => column === name) ?? []);
  if (known.length < head.length || head.length === 0) {
    const unknown = head.find((name) => !columns.some((column) => column === name)) ?? 'the first line';
    throw new SheetError(1, unknown, `must be one of ${columns.join(', ')}`);
  }
  return lines.map((cells, at) => {
    const line: Line<Column> = {};
    for (const [index, column] of known.entries()) {
      const cell = cells[index];
      if (cell) line[column] = cell;
    }
    return { line, number: at + 2 };
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SheetError(1, 'the file', 'must be UTF-8');
  }
}

function cellsOf(content: string, maxLines: number): string[][] {
  const delimiter = content.split('\n', 1)[0]?.includes(';') ? ';' : ',';
  const options = { bom: true, delimiter, trim: true, skip_empty_lines: true, relax_column_count: true };
  try {
    return parse(content, { ...options, to: maxLines + 1 });
  } catch (error) {
    throw new SheetError(1, 'the file', `is not CSV: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** Writes lines so that `linesOfSheet` reads the same of them. */
export function csvOf<Column extends string>(columns: readonly Column[], lines: readonly Line<Column>[]): string {
  const rows = [columns, ...lines.map((line) => columns.map((column) => cellOf(line[column] ?? '')))];
  return rows.map((row) => `${row.join(',')}\n`).join('');
}

const cellOf = (text: string): string => (/[",;\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
