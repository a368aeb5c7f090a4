import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { cellBytes, csvRecords, FileError, openText } from './text-file.js';

// Small sheets that carriers keep in a spreadsheet, as CSV. The first line names the columns, in any order. An empty
// cell means the default of the contract.

/** Thrown for a file that is not such a sheet. `line` counts from 1. */
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
  /** Most lines that are read: one more than the service accepts, so that the service refuses the file. */
  maxLines: number;
}

/** Reads lines, separated by commas or semicolons, with their numbers, slice by slice. Throws SheetError. */
export async function linesOfSheet<Column extends string>(
  bytes: Uint8Array,
  { columns, maxLines }: Sheet<Column>,
): Promise<{ line: Line<Column>; number: number }[]> {
  const lines: { line: Line<Column>; number: number }[] = [];
  let known: Column[] | undefined;
  for await (const cells of recordsOf(textOf(bytes))) {
    if (known === undefined) known = headOf(cells, columns);
    else lines.push({ line: lineOf(cells, known), number: lines.length + 2 });
    if (lines.length === maxLines) break;
  }
  if (known === undefined) throw unknownColumn('the first line', columns);
  return lines;
}

const unknownColumn = (name: string, columns: readonly string[]) =>
  new SheetError(1, name, `must be one of ${columns.join(', ')}`);

function headOf<Column extends string>(cells: readonly string[], columns: readonly Column[]): Column[] {
  return cells.map((name) => {
    const known = columns.find((column) => column === name);
    if (known === undefined) throw unknownColumn(name || 'the first line', columns);
    return known;
  });
}

function lineOf<Column extends string>(cells: readonly string[], known: readonly Column[]): Line<Column> {
  const line: Line<Column> = {};
  for (const [index, column] of known.entries()) {
    const cell = cells[index];
    if (cell) line[column] = cell;
  }
  return line;
}

function textOf(bytes: Uint8Array): Buffer {
  if (!isUtf8(bytes)) throw new SheetError(1, 'the file', 'must be UTF-8');
  return Buffer.from(bytes);
}

const MAX_EMPTY = 10_000;

async function* recordsOf(content: Buffer): AsyncGenerator<string[]> {
  try {
    const text = await openText(Readable.from([content]));
    const [firstLine = ''] = text.head.toString().split('\n', 1);
    for await (const { cells } of csvRecords(text, firstLine.includes(';') ? ';' : ',', MAX_EMPTY))
      yield cells.map((cell) => cellBytes(cell).toString().trim());
  } catch (error) {
    throw error instanceof FileError ? new SheetError(1, 'the file', `is not CSV: ${error.message}`) : error;
  }
}

/** Writes lines in the form that `linesOfSheet` reads. */
export function csvOf<Column extends string>(columns: readonly Column[], lines: readonly Line<Column>[]): string {
  const rows = [columns, ...lines.map((line) => columns.map((column) => cellOf(line[column] ?? '')))];
  return rows.map((row) => `${row.join(',')}\n`).join('');
}

const cellOf = (text: string): string => (/[",;\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
